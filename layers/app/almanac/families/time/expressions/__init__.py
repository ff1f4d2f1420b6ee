"""Grammar of times in natural language: converts an expression and an anchor into a wall time or an instant.

A form of the grammar must use every token; anything else is refused with the nearest forms. For words that people read
differently, the grammar fixes one reading and the note names it:

- "next Friday" is the soonest Friday after today, "last Friday" the latest before it, "this Friday" that of the current
  Monday-based week; a bare "Friday" is the next one, today only with a time still to come
- "next week" is that week's first day; "end of …" is 23:59:59 of the last day; eod and "end of day" are 23:59:59,
  eob, cob and "end of business" are 17:00
- a time without a day is today's, even when past; midnight is the start of the day
- a date without a year is the next such day; 03/04/2026 is read month first, 03.04.2026 day first
- days and longer move the wall clock, hours and shorter are elapsed time
"""

from almanac.families.time.expressions.interpreter import Grain, Interpretation, understand

__all__ = ["Grain", "Interpretation", "understand"]
