"""A text in each language, and its definitions as "line kind qualified name", with + where they are exported."""

PYTHON = (
    '''
import os
LIMIT = 3
handler, other = 1, 2
if os.name:
    chosen = 1
class Store(Base):
    """Keeps things."""
    size: int = 0
    def put(self, key):
        local = 1
        def inner(): ...
    @property
    async def _hidden(self): ...
type Pair = tuple[int, int]
''',
    """
3 constant LIMIT +
4 variable handler +
4 variable other +
6 variable chosen +
7 class Store +
9 field Store.size +
10 method Store.put +
12 function Store.put.inner
14 method Store._hidden
15 type Pair +
""",
)

TYPESCRIPT = (
    """
export const limit = 1, { a, b: [c], ...rest } = given
let state = 2
export default class Store<T> {
  #size = 0
  private name = "x"
  get size() { const local = 1; return local }
  ["put"](key: string): void {}
}
export interface Shape { area(): number; name: string }
type Id = string | number
export { Id as Key, plain }
enum Color { Red, Green = 2 }
export namespace Deep { const hidden = 2; export const inner = 1 }
const plain = async (x: number) => { const nested = () => x }
declare function outside(): void
Store.prototype.late = function () {}
export function over(a: string): void
export function over(a: any) {}
""",
    """
2 constant limit +
2 constant a +
2 constant c +
2 constant rest +
3 variable state
4 class Store +
5 field Store.#size
6 field Store.name
7 method Store.size +
8 method Store.put +
10 interface Shape +
10 method Shape.area +
10 field Shape.name +
11 type Id +
13 enum Color
13 constant Color.Red
13 constant Color.Green
14 module Deep +
14 constant Deep.hidden
14 constant Deep.inner +
15 function plain +
15 function plain.nested
16 function outside
17 method Store.late
18 function over +
19 function over +
""",
)

JAVASCRIPT = (
    """
class Store { size = 0; static put() {} }
exports.open = function () {}
function* walk() {}
const Named = class {}
module.exports = { walk, Named }
var old = require("x")
export default () => 1
""",
    """
2 class Store
2 field Store.size
2 method Store.put
3 function open
4 function walk +
5 class Named +
7 variable old
8 function default +
""",
)

GO = (
    """
package a

type (
	Store struct {
		Size, count int
		Base
	}
	Shape interface{ Area() int }
	ID = string
	kind int
)

const (
	First = iota
	second
)

var global, _ = 1, 2

func (s *Store[T]) Put(key string) { var local = 1; const fixed = 2 }
func open() {}
""",
    """
5 class Store +
6 field Store.Size +
6 field Store.count
7 field Store.Base +
9 interface Shape +
9 method Shape.Area +
10 type ID +
11 type kind
15 constant First +
16 constant second
19 variable global
21 method Store.Put +
22 function open
""",
)

RUST = (
    """
#[derive(Debug)]
pub struct Store<T> { pub size: usize, name: T }
impl<T> Keeps for Store<T> {
    const LIMIT: usize = 3;
    pub fn put(&self) { fn inner() {} }
}
pub trait Keeps { type Key; fn put(&self); }
enum Color { Red, Rgb(u8) }
macro_rules! keep { () => {} }
pub mod deep { pub fn open() {} static COUNT: u8 = 1; }
type Pair = (u8, u8);
union Either { a: u8 }
""",
    """
3 class Store +
3 field Store.size +
3 field Store.name
5 constant Store.LIMIT
6 method Store.put +
6 function Store.put.inner
8 interface Keeps +
8 type Keeps.Key +
8 method Keeps.put +
9 enum Color
9 constant Color.Red
9 constant Color.Rgb
10 macro keep
11 module deep +
11 function deep.open +
11 variable deep.COUNT
12 type Pair
13 class Either
13 field Either.a
""",
)

JAVA = (
    """
package a.b;
public class Store<T> extends Base {
    public static final int LIMIT = 1, MORE = 2;
    private int size;
    public Store() {}
    @Override
    public void put(String key) { int local = 1; }
    enum Color { RED, GREEN { void paint() {} } }
    record Pair(int left) {}
    @interface Marked { int value() default 1; }
}
interface Shape { int SIDES = 3; int area(); }
""",
    """
3 class Store +
4 constant Store.LIMIT +
4 constant Store.MORE +
5 field Store.size
6 method Store.Store +
8 method Store.put +
9 enum Store.Color
9 constant Store.Color.RED
9 constant Store.Color.GREEN
9 method Store.Color.GREEN.paint
10 class Store.Pair
10 field Store.Pair.left
11 interface Store.Marked
11 method Store.Marked.value
13 interface Shape
13 constant Shape.SIDES
13 method Shape.area
""",
)

CSHARP = (
    """
namespace A.B {
    [Serializable]
    public class Store : Base {
        public const int Limit = 1;
        private int size, count;
        public int Size { get; set; }
        public Store() {}
        public async Task Put(string key) { void Local() {} }
        public event Handler Changed;
        public int this[int i] => i;
        public static Store operator +(Store a, Store b) => a;
    }
    struct Point {}
    record Pair(int Left);
    public interface IShape { int Area(); }
    enum Color { Red, Green = 2 }
    delegate void Handler();
}
""",
    """
2 module A.B
4 class A.B.Store +
5 constant A.B.Store.Limit +
6 field A.B.Store.size
6 field A.B.Store.count
7 field A.B.Store.Size +
8 method A.B.Store.Store +
9 method A.B.Store.Put +
9 function A.B.Store.Put.Local
10 field A.B.Store.Changed +
11 method A.B.Store.this +
12 method A.B.Store.+ +
14 class A.B.Point
15 class A.B.Pair
16 interface A.B.IShape +
16 method A.B.IShape.Area +
17 enum A.B.Color
17 constant A.B.Color.Red
17 constant A.B.Color.Green
18 type A.B.Handler
""",
)

RUBY = (
    """
module Keeping
  class Store < Base
    LIMIT = 3
    attr_accessor :size, :name
    def self.open; end
    def put=(key); local = 1; end
    def ==(other) = true
    alias store put
    define_method(:late) { }
    class << self
      def shared; end
    end
  end
end
class Keeping::Deep; end
""",
    """
2 module Keeping +
3 class Keeping.Store +
4 constant Keeping.Store.LIMIT +
5 field Keeping.Store.size +
5 field Keeping.Store.name +
6 method Keeping.Store.open +
7 method Keeping.Store.put= +
8 method Keeping.Store.== +
9 method Keeping.Store.store +
10 method Keeping.Store.late +
12 method Keeping.Store.shared +
16 class Keeping.Deep +
""",
)

C = (
    """
#ifndef STORE_H
#define LIMIT 3
#define MAX(a, b) ((a) > (b))
struct store { int size, *keys; };
typedef struct { int x; } point, *points;
typedef int (*callback)(int);
enum color { RED, GREEN = 2 };
union either { int a; };
static int hidden = 1;
extern int shared;
char *name_of(struct store *s);
static int put(struct store *s) { int local = 1; return local; }
int **deep(void) { return 0; }
#endif
""",
    """
3 macro LIMIT +
4 macro MAX +
5 class store +
5 field store.size +
5 field store.keys +
6 type point +
6 type points +
6 field point.x +
7 type callback +
8 enum color +
8 constant color.RED +
8 constant color.GREEN +
9 class either +
9 field either.a +
10 variable hidden
11 variable shared +
12 function name_of +
13 function put
14 function deep +
""",
)

CPP = (
    """
namespace a::b {
template <class T> class Store : Base {
 public:
  Store();
  ~Store() {}
  int put(int key) const;
  bool operator==(const Store& other) const;
  T first, *second;
  enum class Color { Red };
  using Key = int;
};
}
int a::b::Store<int>::put(int key) const { Foo local(key); return 1; }
const T& Store<T>::operator()(int) {}
concept_t make();
static int hidden();
""",
    """
2 module a.b +
3 class a.b.Store +
5 method a.b.Store.Store +
6 method a.b.Store.~Store +
7 method a.b.Store.put +
8 method a.b.Store.operator== +
9 field a.b.Store.first +
9 field a.b.Store.second +
10 enum a.b.Store.Color +
10 constant a.b.Store.Color.Red +
11 type a.b.Store.Key +
14 method a.b.Store.put +
15 method Store.operator() +
16 function make +
17 function hidden
""",
)

SAMPLES = {
    "a.py": PYTHON,
    "a.ts": TYPESCRIPT,
    "a.tsx": TYPESCRIPT,
    "a.js": JAVASCRIPT,
    "a.go": GO,
    "a.rs": RUST,
    "a.java": JAVA,
    "a.cs": CSHARP,
    "a.rb": RUBY,
    "a.c": C,
    "a.cpp": CPP,
}
