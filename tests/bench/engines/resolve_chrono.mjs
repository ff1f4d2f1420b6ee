// chrono-node over the expressions on standard input: {anchor, expressions} in, {expression: {us, understood}} out.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const chrono = createRequire(process.argv[2])("chrono-node");
const { anchor, expressions, warmUp, calls } = JSON.parse(readFileSync(0, "utf8"));
const start = Date.parse(anchor);
let minute = 0;

const parse = (expression) =>
  chrono.parseDate(expression, new Date(start + (minute++ % 60) * 60000), { forwardDate: true });

const figures = {};
for (const expression of expressions) {
  for (let i = 0; i < warmUp; i++) parse(expression);
  const taken = [];
  for (let i = 0; i < calls; i++) {
    const began = process.hrtime.bigint();
    parse(expression);
    taken.push(Number(process.hrtime.bigint() - began) / 1000);
  }
  taken.sort((a, b) => a - b);
  figures[expression] = { us: taken[calls >> 1], understood: parse(expression) !== null };
}
process.stdout.write(JSON.stringify(figures));
