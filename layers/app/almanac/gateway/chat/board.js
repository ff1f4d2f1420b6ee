// The cards of a board by column. A card that was moved brings its whole board along where the host calls tools.
const MOST = 4;
let columns = [], open = new Set();

view.guess = answer => answer.cards ? "kanban_list_cards" : "kanban_move_card";

view.draw = answer => {
  if (answer.cards) {
    if (view.canCall && !columns.length) attempt(async () => { await learn(answer.cards[0]?.boardId ?? view.input.boardId); draw(answer); });
    return drawn(answer);
  }
  if (view.canCall) attempt(() => whole(answer.boardId));
  return drawn({ cards: [answer] });
};

async function learn(id) {
  const { boards } = await call("kanban_list_boards", {});
  columns = (boards.find(one => one.id === id) ?? boards[0])?.columns ?? [];
}

async function whole(boardId) {
  await learn(boardId);
  view.tool = "kanban_list_cards";
  view.input = { boardId };
  await again();
}

function drawn({ cards, truncated, warning }) {
  const known = new Map(columns.map(each => [each.id, each.title]));
  for (const card of cards) if (!known.has(card.columnId)) known.set(card.columnId, card.columnTitle ?? "Column");
  const board = make("div", { class: "board" }, [...known].map(([id, title]) => {
    const inside = cards.filter(card => card.columnId === id).sort((a, b) => a.position - b.position);
    const shown = open.has(id) ? inside : inside.slice(0, MOST), limit = columns.find(each => each.id === id)?.wipLimit;
    return make("section", { class: "column-of", "aria-label": title },
      make("h2", {}, `${title} `, make("span", { class: "muted" }, `${inside.length}${limit ? ` of ${limit}` : ""}`)),
      make("ul", { class: "cards" }, shown.map(card => make("li", { class: "card" }, cardOf(card, known)))),
      inside.length > shown.length ? make("button", { type: "button", id: `all-${id}`, on: () => { open.add(id); draw({ cards, truncated }); } }, `Show all ${inside.length}`) : null);
  }));
  return [known.size ? board : make("p", { class: "empty" }, "No card is on this board."), warning ? make("p", { class: "callout warn" }, warning) : null,
    truncated ? make("p", { class: "muted small" }, "There are more cards than are shown.") : null];
}

function cardOf(card, known) {
  const others = [...known].filter(([id]) => id !== card.columnId);
  return [
    make("strong", {}, card.title),
    card.dueDate ? make("p", { class: "small muted" }, `due ${card.dueDate}${card.dueTime ? ` ${card.dueTime}` : ""}`) : null,
    card.isDone ? make("span", { class: "tag ok" }, "done") : null,
    view.canCall && others.length ? make("details", { class: "menu" }, make("summary", { "aria-label": `Move ${card.title}` }, "Move"),
      make("div", { class: "stack" }, others.map(([id, title]) => make("button", { type: "button", on: () => attempt(() => move(card, id, title)) }, title)))) : null,
  ].filter(Boolean);
}

async function move(card, columnId, title) {
  const moved = await call("kanban_move_card", { cardId: card.id, columnId, revision: card.revision });
  await whole(card.boardId);
  say(`Moved “${card.title}” to ${title}.${moved.warning ? ` ${moved.warning}` : ""}`, async () => {
    await call("kanban_move_card", { cardId: card.id, columnId: card.columnId, position: card.position, revision: moved.revision });
    await whole(card.boardId);
    say("It is back where it was.");
  });
}
