//! One statement of a litmus test, in the kernel's notation: `if (r1 == 0) r2 = READ_ONCE(data)`.
//!
//! Pointers are written without their star, a name alone is a plain access, and a body in braces is
//! written as one guarded statement for each of its own.

use mmspec_model::k::engine::Order;
use serde::Deserialize;
use std::fmt;

/// A register, `r` and a digit.
pub type Reg = &'static str;

/// A variable that threads share.
pub type Var = &'static str;

/// A number, or what a register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "named after what they are")]
pub enum Operand {
    Number(u64),
    Reg(Reg),
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Reg(reg) => write!(f, "{reg}"),
        }
    }
}

/// `if (reg == value)`, or `!=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// Left side.
    pub reg: Reg,
    /// Whether it is `==`.
    pub equal: bool,
    /// Right side.
    pub value: u64,
}

/// What a read-modify-write does to its variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Addition (wrapping).
    Add(u64),
    /// Exchange.
    Xchg(Operand),
    /// Exchange for the second if it finds the first.
    Cmpxchg(Operand, Operand),
}

/// What a read-modify-write gives to its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "named after what they are")]
pub enum Returns {
    Nothing,
    Old,
    New,
}

/// The operation of a statement. Those that `model/src/k/` has are run by it, so that the orders it
/// gives to them are what is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "named after the primitives")]
pub enum Action {
    Read(Var),
    Write(Var, Operand),
    ReadOnce(Var),
    WriteOnce(Var, Operand),
    LoadAcquire(Var),
    StoreRelease(Var, Operand),
    Fence(Order),
    AtomicInc(Var),
    SetBit(u32, Var),
    DecAndTest(Var),
    IncNotZero(Var),
    Rmw(Var, Order, Change, Returns),
    Lock(Var),
    Unlock(Var),
}

impl Action {
    /// Variable that it accesses.
    pub fn var(self) -> Option<Var> {
        use Action as A;
        match self {
            A::Fence(_) => None,
            A::Read(x)
            | A::Write(x, _)
            | A::ReadOnce(x)
            | A::WriteOnce(x, _)
            | A::LoadAcquire(x)
            | A::StoreRelease(x, _)
            | A::AtomicInc(x)
            | A::SetBit(_, x)
            | A::DecAndTest(x)
            | A::IncNotZero(x)
            | A::Rmw(x, ..)
            | A::Lock(x)
            | A::Unlock(x) => Some(x),
        }
    }
}

/// One statement.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "&'static str", bound(deserialize = "'de: 'static"))]
pub struct Statement {
    /// Conditions under which it runs, all of them.
    pub guards: Vec<Guard>,
    /// Register that it sets.
    pub reg: Option<Reg>,
    /// The rest as it is written.
    pub text: String,
    /// The rest.
    pub action: Action,
}

impl Statement {
    /// `smp_mb()`.
    pub fn smp_mb() -> Self {
        Self { guards: Vec::new(), reg: None, text: "smp_mb()".into(), action: Action::Fence(Order::Full) }
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for Guard { reg, equal, value } in &self.guards {
            write!(f, "if ({reg} {} {value}) ", if *equal { "==" } else { "!=" })?;
        }
        if let Some(reg) = self.reg {
            write!(f, "{reg} = ")?;
        }
        write!(f, "{}", self.text)
    }
}

impl TryFrom<&'static str> for Statement {
    type Error = String;

    fn try_from(text: &'static str) -> Result<Self, String> {
        parse(text).ok_or_else(|| format!("`{text}` is no statement of a litmus test"))
    }
}

fn is_reg(name: &str) -> bool {
    name.strip_prefix('r').is_some_and(|digits| digits.parse::<u8>().is_ok())
}

fn parse(mut text: &'static str) -> Option<Statement> {
    let mut guards = Vec::new();
    while let Some(rest) = text.strip_prefix("if (") {
        let (condition, body) = rest.split_once(") ")?;
        let (reg, relation, value) = match condition.split(' ').collect::<Vec<_>>()[..] {
            [reg, relation, value] if is_reg(reg) => (reg, relation, value.parse().ok()?),
            _ => return None,
        };
        guards.push(Guard { reg, equal: relation == "==", value });
        text = body;
    }
    let (reg, text) = match text.split_once(" = ") {
        Some((reg, rest)) if is_reg(reg) => (Some(reg), rest),
        _ => (None, text),
    };
    let action = if let Some((name, rest)) = text.split_once('(') {
        let args: Vec<&'static str> = rest.strip_suffix(')')?.split(", ").collect();
        call(name, &args)?
    } else if let Some((var, value)) = text.split_once(" = ") {
        Action::Write(var, operand(value)?)
    } else {
        Action::Read(text)
    };
    Some(Statement { guards, reg, text: text.into(), action })
}

fn operand(text: &'static str) -> Option<Operand> {
    if is_reg(text) { Some(Operand::Reg(text)) } else { text.parse().ok().map(Operand::Number) }
}

fn call(name: &'static str, args: &[&'static str]) -> Option<Action> {
    Some(match (name, args) {
        ("READ_ONCE" | "atomic_read", [x]) => Action::ReadOnce(x),
        ("WRITE_ONCE", [x, value]) => Action::WriteOnce(x, operand(value)?),
        ("smp_load_acquire", [x]) => Action::LoadAcquire(x),
        ("smp_store_release", [x, value]) => Action::StoreRelease(x, operand(value)?),
        ("smp_mb" | "smp_mb__before_atomic" | "smp_mb__after_atomic" | "smp_mb__after_spinlock", [""]) => {
            Action::Fence(Order::Full)
        }
        ("smp_rmb", [""]) => Action::Fence(Order::Acquire),
        ("smp_wmb", [""]) => Action::Fence(Order::Release),
        ("spin_lock", [x]) => Action::Lock(x),
        ("spin_unlock", [x]) => Action::Unlock(x),
        ("atomic_inc", [x]) => Action::AtomicInc(x),
        ("set_bit", [nr, x]) => Action::SetBit(nr.parse().ok()?, x),
        ("atomic_dec_and_test", [x]) => Action::DecAndTest(x),
        ("atomic_add_unless", [x, "1", "0"]) => Action::IncNotZero(x),
        ("atomic_add", [n, x]) => {
            Action::Rmw(x, Order::Relaxed, Change::Add(n.parse().ok()?), Returns::Nothing)
        }
        ("atomic_sub", [n, x]) => Action::Rmw(x, Order::Relaxed, Change::Add(minus(n)?), Returns::Nothing),
        _ => return returning(name, args),
    })
}

/// A read-modify-write that returns a value: fully ordered unless its name says otherwise.
fn returning(name: &'static str, args: &[&'static str]) -> Option<Action> {
    let (base, order) =
        [("_relaxed", Order::Relaxed), ("_acquire", Order::Acquire), ("_release", Order::Release)]
            .into_iter()
            .find_map(|(suffix, order)| Some((name.strip_suffix(suffix)?, order)))
            .unwrap_or((name, Order::Full));
    let (x, change, returns) = match (base.strip_prefix("atomic_").unwrap_or(base), args) {
        ("inc_return", [x]) => (x, Change::Add(1), Returns::New),
        ("dec_return", [x]) => (x, Change::Add(minus("1")?), Returns::New),
        ("add_return", [n, x]) => (x, Change::Add(n.parse().ok()?), Returns::New),
        ("fetch_add", [n, x]) => (x, Change::Add(n.parse().ok()?), Returns::Old),
        ("fetch_sub", [n, x]) => (x, Change::Add(minus(n)?), Returns::Old),
        ("xchg", [x, new]) => (x, Change::Xchg(operand(new)?), Returns::Old),
        ("cmpxchg", [x, old, new]) => (x, Change::Cmpxchg(operand(old)?, operand(new)?), Returns::Old),
        _ => return None,
    };
    Some(Action::Rmw(x, order, change, returns))
}

fn minus(text: &str) -> Option<u64> {
    text.parse().ok().map(u64::wrapping_neg)
}
