// Who holds which claim, and who works on which file.
const MOST = 8;
view.guess = answer => answer.claims ? "list_claims" : "get_focus_map";

const lasts = ms => ms < 3600000 ? `${Math.max(1, Math.round(ms / 60000))} min` : `${Math.floor(ms / 3600000)} h ${Math.round(ms % 3600000 / 60000)} min`;
const ago = at => { const ms = Date.now() - at; return ms < 60000 ? "just now" : `${lasts(ms)} ago`; };

view.draw = answer => {
  const rows = (answer.claims ?? answer.files ?? []).map(answer.claims ? claimOf : fileOf);
  return [
    rows.length ? make("ul", { class: "entries" }, rows.slice(0, MOST)) : make("p", { class: "empty" }, answer.claims ? "Nobody holds a claim." : "Nobody works on a file."),
    rows.length > MOST || answer.truncated || answer.next_cursor ? make("p", { class: "muted small" }, `The first ${Math.min(rows.length, MOST)} are shown.`) : null,
  ];
};

view.controls = answer => answer.next_cursor ? [make("button", { id: "more", type: "button", on: () => attempt(() => again({ cursor: answer.next_cursor })) }, "Next page")] : [];

function claimOf(claim) {
  const why = Object.entries(claim.metadata ?? {}).map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`).join(", ");
  return make("li", { class: "entry" }, make("span", { class: "grow" }, make("code", {}, claim.key), make("span", { class: "muted small" }, `${claim.holder}${why ? ` · ${why}` : ""}`)),
    make("span", { class: "small" }, `${lasts(claim.expires_in_ms)} left`));
}

function fileOf(file) {
  const who = [...new Set(file.who.map(each => `${each.actor}${each.tool ? ` (${each.tool})` : ""}`))].join(", ");
  const held = file.claims.map(each => `${each.key} is held by ${each.holder}`).join(", ");
  return make("li", { class: "entry" }, make("span", { class: "grow" }, make("code", {}, file.path), make("span", { class: "muted small" }, `${who} · ${ago(file.last_at)}${held ? ` · ${held}` : ""}`)),
    file.collision ? make("span", { class: "tag warn" }, "several at once") : null);
}
