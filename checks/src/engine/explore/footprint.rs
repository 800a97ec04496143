//! What a step touches, and which steps depend on each other.

use mmspec_model::k::engine::{Order, Rmw, Shape, Until, Word};
use smallvec::SmallVec;

/// Most threads of a program.
pub const MAX_THREADS: usize = 16;

/// A vector clock.
pub type Clock = [u16; MAX_THREADS];

/// Componentwise maximum.
pub fn join(clock: &mut Clock, other: &Clock) {
    for (mine, theirs) in clock.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}

/// Effect of an access as far as commuting goes. What counts is what happened: a failed trylock only
/// read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Access {
    /// Changed nothing; commutes with other reads.
    Read,
    /// Added to a counter or set flag bits, unordered and without learning anything; commutes with
    /// others of its kind.
    Blind,
    /// The same, of a reference that must not be the first: whether it breaks the rule can depend on a
    /// [`Self::Blind`] addition, but not on others of its kind.
    Take,
    /// The same, subtracting what must be there. Of several that are too much together, one breaks the
    /// rule in any order.
    Give,
    /// Dropped a reference that was not the last; commutes with others of its kind, but not with a
    /// [`Self::Blind`] increment, which may be what keeps it from being the last.
    Drop,
    /// A reader took or gave up a lock; commutes with other readers.
    Reader,
    /// Anything else.
    Write,
}

/// Number of kinds of access.
pub const KINDS: usize = 7;

impl Access {
    /// Whether two accesses of one word do not commute.
    pub fn conflicts(self, other: Self) -> bool {
        self == Self::Write || self != other
    }

    /// Kind of a successful read-modify-write.
    pub fn of_rmw(rmw: &Rmw, order: Order, before: u64, after: u64, ret: u64) -> Self {
        // All rules that such a step checks are broken at 0.
        let checks = || (rmw.apply)(0).fault.is_some();
        match rmw.shape {
            Shape::BlindAdd(n) if order == Order::Relaxed && checks() => {
                if n.cast_signed() < 0 {
                    Self::Give
                } else {
                    Self::Take
                }
            }
            Shape::BlindAdd(_) | Shape::BlindOr(_) if order == Order::Relaxed => Self::Blind,
            Shape::Drop if ret == 0 => Self::Drop,
            Shape::Reader if before.abs_diff(after) == 1 => Self::Reader,
            _ => Self::Write,
        }
    }
}

/// One access of a step.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// Word touched.
    pub word: Word,
    /// How.
    pub access: Access,
    /// Value found.
    pub before: u64,
    /// Value left.
    pub after: u64,
    /// Condition under which the step could run, if it blocks.
    pub until: Option<Until>,
}

/// All accesses of a step that others may depend on: its own word first, then ghost words.
pub type Footprint = SmallVec<[Touch; 3]>;

/// Whether a step that could be taken before `taken` does not commute with it.
///
/// Of two drops, both not the last, the later one stays so only if three references were left.
pub fn dependent(other: &Footprint, taken: &Footprint) -> bool {
    let depends =
        |x: &Touch, y: &Touch| x.access.conflicts(y.access) || y.access == Access::Drop && y.before < 3;
    other.iter().any(|x| taken.iter().any(|y| x.word == y.word && depends(x, y)))
}
