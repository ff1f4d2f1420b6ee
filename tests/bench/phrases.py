"""What the engines are given: everyday expressions, rules and local times, invented for this benchmark."""

ANCHOR = "2026-04-16T09:41:00Z"
ZONE = "Europe/Berlin"

EXPRESSIONS = (
    "now",
    "today",
    "tomorrow",
    "yesterday at noon",
    "tomorrow at 7:45am",
    "tonight at 9",
    "in 20 minutes",
    "in 3 hours",
    "in 5 days",
    "in two weeks",
    "4 days ago",
    "6 months ago",
    "next week",
    "next month",
    "next Thursday",
    "this Saturday",
    "last Monday",
    "next Wednesday at 11am",
    "Friday at 16:30",
    "next Sunday at 8:15 pm",
    "June 3",
    "June 3 at 2pm",
    "3 June 2027",
    "September 30, 2026 at 18:00",
    "2026-12-24",
    "2026-12-24 17:30",
    "2026-12-24T17:30:00Z",
    "end of the month",
    "start of next quarter",
    "first Monday of next month",
    "in 4 business days",
    "half past six tomorrow evening",
)

DTSTART = "2026-01-05T09:30:00"
RULES = {
    "every weekday, a year": "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;COUNT=260",
    "last Friday of the month, ten years": "FREQ=MONTHLY;BYDAY=-1FR;COUNT=120",
    "last working day of the month": "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=60",
    "every second Tuesday": "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU;COUNT=52",
    "daily": "FREQ=DAILY;COUNT=100",
    "daily without end, the first 500": "FREQ=DAILY",
    "yearly": "FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=17;COUNT=30",
}
NEVER = {
    "never, by the year": "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=31",
    "never, by the second": "FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30",
}
FAR_WINDOW = ("FREQ=DAILY", "2056-01-01T00:00:00Z", "2056-02-01T00:00:00Z")

LOCAL_TIMES = (
    ("2026-07-14T10:00:00", "Europe/Berlin"),
    ("2026-03-29T02:30:00", "Europe/Berlin"),
    ("2026-10-25T02:30:00", "Europe/Berlin"),
    ("2026-03-08T02:15:00", "America/Denver"),
    ("2026-11-01T01:05:00", "America/Denver"),
    ("2026-10-04T02:20:00", "Australia/Adelaide"),
    ("2026-12-31T23:59:59", "Asia/Kolkata"),
    ("2026-01-01T00:00:00", "Pacific/Auckland"),
)
