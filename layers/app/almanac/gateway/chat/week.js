// Events, tasks and free time by day. Days and times are those of the answer's zone, which its texts spell out.
const DAY = /^\d{4}-\d\d-\d\d/, MOST = 6;
const toDate = day => new Date(`${day}T00:00:00Z`);
const plus = (day, days) => new Date(toDate(day).getTime() + days * 86400000).toISOString().slice(0, 10);
const named = (day, form) => new Intl.DateTimeFormat(view.context.locale ?? "en", { timeZone: "UTC", ...form }).format(toDate(day));
const isDay = text => typeof text === "string" && DAY.test(text);
let zone = "UTC", first = null, chosen = null;

view.guess = answer => answer.slots ? "find_free_slots" : answer.items ? "daily_overview" : answer.events ? "calendar_list_events" : "list_events";

// A local time of the zone with its offset.
function instant(day, time) {
  const offset = at => {
    const { value } = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" }).formatToParts(at).find(part => part.type === "timeZoneName");
    return value === "GMT" ? "+00:00" : value.slice(3, 9);
  };
  const near = new Date(`${day}T${time}${offset(new Date(`${day}T${time}Z`))}`);
  return `${day}T${time}${offset(near)}`;
}

function itemsOf(answer) {
  if (answer.slots) return answer.slots.map(each => ({ title: `free, ${span(each.duration_minutes)}`, kind: "free", start: each.local_start, end: each.local_end }));
  if (answer.items) return answer.items.map(each => ({ ...each, start: each.time ? each.start : each.date, canMove: each.source === "calendar" }));
  if (answer.events) return answer.events.map(each => ({ ...each, start: each.time ? each.start : each.date, canMove: !each.heldUntil }));
  return JSON.parse(answer.content).map(each => ({ ...each, title: each.summary, place: each.location, canMove: true }));
}

const span = minutes => minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h${minutes % 60 ? ` ${minutes % 60} min` : ""}`;

view.draw = answer => {
  if (answer.format === "toon") { attempt(() => again({ format: "json" })); return [make("p", { class: "empty" }, "Asking for the events in another form …")]; }
  zone = answer.timezone ?? "UTC";
  const items = itemsOf(answer).filter(each => isDay(each.start));
  const asked = [view.input.dateFrom, view.input.startDate, view.input.start, answer.dateFrom].find(isDay);
  first = (asked ?? items.map(each => each.start).sort()[0] ?? new Date().toISOString()).slice(0, 10);
  const reach = [view.input.dateTo, answer.dateTo].find(isDay) ?? (isDay(view.input.end) ? plus(view.input.end.slice(0, 10), -1) : null) ?? plus(first, 6);
  const count = Math.min(7, Math.max(1, Math.round((toDate(reach.slice(0, 10)) - toDate(first)) / 86400000) + 1));
  const days = Array.from({ length: count }, (_, n) => plus(first, n));
  const beyond = items.filter(each => each.start.slice(0, 10) > days.at(-1)).length;
  if (!items.some(each => each.id === chosen)) chosen = null;
  const grid = make("div", { class: "days" }, days.map(day => dayOf(day, items.filter(each => each.start.slice(0, 10) === day))));
  return [
    make("p", { class: "muted small" }, `${named(first, { day: "numeric", month: "long" })} – ${named(days.at(-1), { day: "numeric", month: "long", year: "numeric" })} · ${zone.replaceAll("_", " ")}`),
    grid,
    beyond || answer.truncated ? make("p", { class: "muted small" }, answer.truncated ? "There is more than is shown." : `${beyond} more later.`) : null,
    ...(answer.staleCalendars ?? []).map(each => make("p", { class: "callout warn" }, `${each.calendarName}: ${each.problem}`)),
    detail(items.find(each => each.id === chosen)),
  ];
};

function dayOf(day, items) {
  const shown = items.length > MOST ? items.slice(0, MOST - 1) : items;
  return make("section", { "aria-label": named(day, { weekday: "long", day: "numeric", month: "long" }) },
    make("h2", {}, named(day, { weekday: "short", day: "numeric" })),
    make("ul", {}, shown.map(each => make("li", {}, itemOf(each))), items.length > shown.length ? make("li", { class: "muted small" }, `+${items.length - shown.length} more`) : null));
}

function itemOf(each) {
  const time = each.start.length > 10 ? each.start.slice(11, 16) : "";
  const until = each.kind === "free" && each.end?.slice(0, 10) === each.start.slice(0, 10) ? `–${each.end.slice(11, 16)}` : "";
  const words = [time ? `${time}${until} ` : "", make(each.status === "done" ? "s" : "span", {}, each.title || "(no title)")];
  if (each.kind === "free") return make("div", { class: "item is-free" }, words);
  const colour = `item e${[...(each.calendarId ?? "primary")].reduce((sum, letter) => sum + letter.codePointAt(0), 0) % 6}`;
  if (!each.id) return make("div", { class: colour }, words);
  return make("button", { type: "button", class: colour, id: `i-${each.id}`, "aria-pressed": String(each.id === chosen), on: () => {
    chosen = chosen === each.id ? null : each.id;
    for (const one of document.querySelectorAll("[aria-pressed]")) one.setAttribute("aria-pressed", String(one.id === `i-${chosen}`));
    page("detail")?.remove();
    const shown = detail(chosen && each);
    if (shown) page("drawn").append(shown);
  } }, words);
}

function detail(each) {
  if (!each) return null;
  const time = each.start.length > 10 ? `${each.start.slice(11, 16)}${each.end ? `–${each.end.slice(11, 16)}` : ""}` : "all day";
  const place = each.place || each.location;
  return make("section", { id: "detail", class: "callout", "aria-label": "The chosen event" },
    make("p", {}, make("strong", {}, each.title || "(no title)")),
    make("p", { class: "small" }, `${named(each.start.slice(0, 10), { weekday: "long", day: "numeric", month: "long" })}, ${time}${each.calendarName ? ` · ${each.calendarName}` : ""}`),
    place ? make("p", { class: "small muted" }, place) : null,
    view.canCall && each.canMove ? make("div", { class: "row" }, [[-1, "A day earlier"], [1, "A day later"]].map(([days, label]) =>
      make("button", { type: "button", on: () => attempt(() => move(each, days)) }, label))) : null);
}

async function move(each, days) {
  const from = each.start.slice(0, 10), to = plus(from, days);
  const put = (day, revision) => view.tool === "list_events"
    ? call("reschedule_booking", { calendar_id: view.input.calendar_id, booking_id: each.id, start: each.start.length > 10 ? instant(day, each.start.slice(11, 19)) : day })
    : call("calendar_update_event", { eventId: each.id, date: day, ...(revision == null ? {} : { revision }) });
  const moved = await put(to, each.revision);
  await again();
  say(`Moved “${each.title}” to ${named(to, { weekday: "long", day: "numeric", month: "long" })}.`, async () => {
    await put(from, moved.revision);
    await again();
    say("It is back where it was.");
  });
}

view.controls = () => view.tool ? [[-7, "Earlier"], [7, "Later"]].map(([days, label]) =>
  make("button", { id: label, type: "button", on: () => attempt(() => again(shifted(days))) }, label)) : [];

function shifted(days) {
  const from = plus(first, days);
  if (view.tool === "daily_overview") return { startDate: from, days: 7 };
  if (view.tool === "calendar_list_events") return { dateFrom: from, dateTo: plus(from, 6), cursor: undefined };
  return { start: instant(from, "00:00:00"), end: instant(plus(from, 7), "00:00:00"), cursor: undefined };
}
