// Moves events and cards by pointer, and has a key for what is done often. Forms and links do all of it without script.
"use strict";
(() => {
  const main = document.getElementById("page");
  if (!main) return;
  const FAR = 6;
  document.documentElement.classList.add("has-script");

  // By pointer: what is pressed and carried further than a click is dropped where it is let go. Escape lets it stay.
  let held = null;

  main.addEventListener("pointerdown", event => {
    if (event.button || held || event.target.closest("button, input, select, textarea, summary, form")) return;
    const grip = event.target.closest(".grip");
    if (event.pointerType === "touch" && !grip) return;
    const card = event.target.closest("[data-card]:has([data-move])"), item = event.target.closest("[data-event]");
    if (!card && !item) return;
    held = { of: card ? carryCard(card) : carryEvent(item, grip, event), x: event.clientX, y: event.clientY, pointer: event.pointerId, moves: false };
    // A finger's events go to what it pressed first, and scroll the page, unless the grip takes them.
    if (grip?.hasPointerCapture?.(event.pointerId)) grip.releasePointerCapture(event.pointerId);
  });
  addEventListener("pointermove", event => {
    if (!held || event.pointerId !== held.pointer) return;
    if (!held.moves && Math.hypot(event.clientX - held.x, event.clientY - held.y) < FAR) return;
    if (!held.moves) { held.moves = true; held.of.what.classList.add("is-held-up"); document.documentElement.classList.add("is-moving"); getSelection()?.removeAllRanges(); }
    event.preventDefault();
    held.of.over(event.clientX, event.clientY);
  });
  addEventListener("pointerup", event => { if (held && event.pointerId === held.pointer) put(true); });
  addEventListener("pointercancel", () => put(false));
  main.addEventListener("dragstart", event => { if (event.target.closest?.("[data-event], [data-card]")) event.preventDefault(); });

  function put(drops) {
    if (!held) return;
    const { of, moves } = held;
    held = null;
    of.what.classList.remove("is-held-up");
    document.documentElement.classList.remove("is-moving");
    if (!moves) return;
    // The click that follows belongs to the drop.
    addEventListener("click", event => { event.preventDefault(); event.stopPropagation(); }, { capture: true, once: true });
    setTimeout(() => dispatchEvent(new MouseEvent("click", { cancelable: true })), 50);
    if (drops) of.drop(); else of.mark.remove();
    say(drops ? "Moved." : "It stays where it was.");
  }

  function say(text) { const said = document.getElementById("said"); if (said) said.textContent = text; }

  function carryCard(card) {
    const mark = document.createElement("li");
    mark.className = "drop-mark";
    let column = null, place = 0;
    const others = of => [...of.querySelectorAll("[data-card]")].filter(each => each !== card);
    return { what: card, mark, others,
      to(over, at) {
        column = over;
        place = at;
        column.querySelector(".cards").insertBefore(mark, others(column)[place] ?? null);
      },
      over(x, y) {
        const over = document.elementFromPoint(x, y)?.closest("[data-column]");
        if (over) this.to(over, others(over).filter(each => { const box = each.getBoundingClientRect(); return y > box.top + box.height / 2; }).length);
      },
      drop() {
        mark.remove();
        if (!column) return false;
        const form = card.querySelector("[data-move]"), at = form.elements["a.columnId"], position = form.elements["a.position"];
        if (at.value === column.dataset.column && Number(position.value) === place) return false;
        at.value = column.dataset.column;
        position.value = place;
        form.requestSubmit();
        return true;
      } };
  }

  // By keys: Space lifts a card by its handle, arrows carry it, Space drops it, Escape or going elsewhere lets it stay.
  const HELD = "almanac-lifted";
  let lifted = null;

  main.addEventListener("click", event => {
    const handle = event.target.closest?.("[data-lift]");
    if (handle) { if (lifted) letGo(true); else lift(handle); }
  });
  main.addEventListener("focusout", event => { if (lifted?.handle === event.target && event.target.isConnected) letGo(false); });
  addEventListener("almanac:taken", () => { if (lifted) show(); });

  function lift(handle) {
    const card = handle.closest("[data-card]"), columns = [...document.querySelectorAll("[data-column]")];
    const column = columns.findIndex(each => each.contains(card));
    lifted = { handle, of: carryCard(card), columns, column, place: [...columns[column].querySelectorAll("[data-card]")].indexOf(card) };
    show();
    say(`Lifted ${card.querySelector("strong").textContent}. ${where()} Arrows move it, Space drops it, Escape leaves it.`);
  }

  function show() {
    lifted.handle.setAttribute("aria-pressed", "true");
    lifted.of.what.classList.add("is-held-up");
    lifted.of.to(lifted.columns[lifted.column], lifted.place);
  }

  function where() {
    const { columns, column, place, of } = lifted;
    return `Column ${columns[column].querySelector("h2").firstChild.textContent.trim()}, ${place + 1} of ${of.others(columns[column]).length + 1}.`;
  }

  function carry(key) {
    const { columns, of } = lifted, step = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[key];
    if (!step) return false;
    lifted.column = Math.min(columns.length - 1, Math.max(0, lifted.column + step[0]));
    lifted.place = Math.min(of.others(columns[lifted.column]).length, Math.max(0, lifted.place + step[1]));
    show();
    of.mark.scrollIntoView({ block: "nearest", inline: "nearest" });
    say(where());
    return true;
  }

  function letGo(drops) {
    const { handle, of } = lifted;
    lifted = null;
    handle.setAttribute("aria-pressed", "false");
    of.what.classList.remove("is-held-up");
    of.mark.remove();
    const moved = drops && of.drop();
    // The page that comes back has the focus on the card again.
    if (moved) try { sessionStorage.setItem(HELD, of.what.id); } catch { /* It begins at the top then. */ }
    say(moved ? "Moved." : "It stays where it was.");
  }

  try {
    document.getElementById(sessionStorage.getItem(HELD) ?? "")?.querySelector("[data-lift]")?.focus();
    sessionStorage.removeItem(HELD);
  } catch { /* The same. */ }

  function carryEvent(item, grip, event) {
    const was = item.dataset, hours = item.closest(".hours"), mark = document.createElement("li");
    mark.className = hours ? `${item.className} drop-mark` : "chip drop-mark";
    mark.textContent = was.title;
    const from = hours ? row(hours, event.clientY) : 0, start = number(item, "r"), until = number(item, "u");
    let day = null, first = start, last = until;
    return { what: item, mark,
      over(x, y) {
        const over = document.elementsFromPoint(x, y).map(each => each.closest("section[data-date]")).find(Boolean);
        if (!over) return;
        if (!hours) { day = over.dataset.date; (over.querySelector(".whole, ul") ?? over).append(mark); return; }
        const list = over.querySelector(".hours"), quarters = Number(list.className.match(/q(\d+)/)[1]), now = row(list, y);
        if (grip) { if (list !== hours) return; last = Math.min(quarters, Math.max(start + 1, now + 1)); }
        else { first = Math.min(quarters - 1, Math.max(0, start + now - from)); last = Math.min(quarters, first + until - start); }
        day = over.dataset.date;
        mark.className = `slot drop-mark r${first} u${Math.max(last, first + 1)}`;
        const at = wall(list, first);
        mark.textContent = grip ? `${(last - start) * 15} min` : `${at} ${was.title}`;
        mark.dataset.at = at;
        list.append(mark);
      },
      drop() {
        mark.remove();
        const time = hours && !grip ? mark.dataset.at : was.time, minutes = grip ? (last - start) * 15 : was.minutes;
        if (!day || day === was.date && (grip ? last === until : first === start)) return;
        send(item, day, time, minutes);
      } };
  }

  const number = (item, letter) => Number(item.className.match(new RegExp(`\\b${letter}(\\d+)`))?.[1] ?? 0);

  // The quarter hour of a day at this height; hours of the night may be drawn lower.
  function row(list, y) {
    let top = list.getBoundingClientRect().top, n = 0;
    const heights = getComputedStyle(list).gridTemplateRows.split(" ").map(parseFloat);
    while (n < heights.length - 1 && y >= top + heights[n]) top += heights[n++];
    return n;
  }

  function wall(list, quarter) {
    const hour = list.querySelector(`.hour.r${quarter - quarter % 4}`)?.textContent.slice(0, 2) ?? "00";
    return `${hour}:${String(quarter % 4 * 15).padStart(2, "0")}`;
  }

  function send(item, date, time, minutes) {
    const was = item.dataset, form = document.getElementById("move")?.content.firstElementChild.cloneNode(true);
    if (!form) return;
    const fill = (name, value) => { const field = form.elements[name]; if (value) field.value = value; else field.remove(); };
    const before = { eventId: was.event, date: was.date, timezone: form.elements["a.timezone"].value };
    if (was.time) Object.assign(before, { time: was.time, durationMinutes: Number(was.minutes) });
    fill("a.eventId", was.event); fill("a.revision", was.revision); fill("a.date", date); fill("a.time", time); fill("a.durationMinutes", was.time && minutes);
    form.elements.says.value = `Moved “${was.title}”.`;
    form.elements.undo.value = JSON.stringify({ tool: "calendar_update_event", args: before, says: "It is back where it was." });
    document.body.append(form);
    form.requestSubmit();
  }

  // By key. Letters can be turned off, and mean nothing where somebody types.
  const OFF = "almanac-keys-off";
  const KEYS = [["t", "today"], ["j or n", "later"], ["k or p", "earlier"], ["d w m a", "day, week, month, agenda"], ["arrows", "between events"], ["Space", "on a card's handle: lift it, arrows carry it, Space drops it"],
    ["Home End", "first and last event of the day"], ["c", "new event or card"], ["e", "open the event"], ["z", "undo"], ["/", "search"], ["?", "these keys"]];
  const off = () => { try { return localStorage.getItem(OFF) === "1"; } catch { return false; } };
  const press = link => { link?.click(); return Boolean(link); };

  function open(target) {
    if (!target) return false;
    const around = target.closest("details");
    if (around) around.open = true;
    target.focus();
    return true;
  }

  const ACTS = {
    c: () => open(document.querySelector("#new [name='a.title'], .add [name='a.title'], [name='a.title']")),
    e: () => press(document.activeElement?.closest?.("[data-event]")?.querySelector("a")),
    z: () => press(document.querySelector("#notice form button")),
    "/": () => open(main.querySelector("input[name=q]")),
    "?": () => { help(); return true; },
  };

  addEventListener("keydown", event => {
    if (event.key === "Escape" && held) { put(false); event.preventDefault(); return; }
    if (lifted && event.key === "Escape") { letGo(false); event.preventDefault(); return; }
    if (lifted && carry(event.key)) { event.preventDefault(); return; }
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target.closest?.("input, select, textarea, [contenteditable], dialog[open]")) return;
    const single = event.key.length === 1;
    if (single && off()) return;
    const link = [...document.querySelectorAll("[data-hotkey]")].find(each => each.dataset.hotkey.split(" ").includes(event.key));
    if (press(link) || ACTS[event.key]?.() || !single && walk(event.key)) event.preventDefault();
  });

  // Arrows go between events and between days, from the event that has the focus.
  function walk(key) {
    const at = document.activeElement?.closest?.("[data-event]"), day = at?.closest("section[data-date]");
    if (!day) return false;
    const links = of => [...of.querySelectorAll("[data-event] a")], own = links(day), here = own.indexOf(at.querySelector("a"));
    const days = [...document.querySelectorAll("section[data-date]")], side = step => {
      for (let n = days.indexOf(day) + step; days[n]; n += step) { const [first] = links(days[n]); if (first) return first; }
    };
    const to = { ArrowDown: () => own[here + 1], ArrowUp: () => own[here - 1], Home: () => own[0], End: () => own.at(-1), ArrowRight: () => side(1), ArrowLeft: () => side(-1) }[key]?.();
    to?.focus();
    return Boolean(to);
  }

  function help() {
    const box = document.createElement("dialog");
    box.setAttribute("aria-labelledby", "keys-title");
    box.innerHTML = '<h2 id="keys-title">Keys</h2><dl class="facts"></dl><form method="dialog" class="stack"><label class="choice"><input type="checkbox"> <span>Single letters do something</span></label><button>Close</button></form>';
    for (const [keys, what] of KEYS) for (const [name, text] of [["dt", keys], ["dd", what]]) {
      const each = document.createElement(name);
      each.textContent = text;
      box.querySelector("dl").append(each);
    }
    const choice = box.querySelector("input");
    choice.checked = !off();
    choice.addEventListener("change", () => { try { localStorage.setItem(OFF, choice.checked ? "0" : "1"); } catch { /* The choice lasts for this page. */ } });
    box.addEventListener("close", () => box.remove());
    document.body.append(box);
    box.showModal();
  }

  // What only works with script is made by it.
  const settings = document.querySelector(".settings");
  if (settings) {
    const keys = document.createElement("button");
    keys.type = "button";
    keys.textContent = "Keys";
    keys.addEventListener("click", help);
    settings.append(keys);
  }
})();
