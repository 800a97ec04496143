use mmspec::engine::states::{self, Reduction};
use mmspec::engine::{Effort, Limits};
use mmspec::worlds;
use mmspec::scenario::library;
use mmspec_model::variant::KERNELS;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::*;
use std::time::*;
fn main() {
    let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let ex: u64 = std::env::args().nth(2).unwrap().parse().unwrap();
    let seed: u8 = std::env::args().nth(3).unwrap().parse().unwrap();
    if n == 0 {
        for s in library::all() { for k in KERNELS {
            let t = Instant::now();
            let r = states::run(Reduction::Dpor, Limits{executions: ex, ..Limits::default()}, &s.program(*k), &|_|{});
            println!("{:30} {:35} thr {} ex {:8} {:?} {:.2}s {:?}", s.name, k.name, s.threads(k), r.executions, r.effort, t.elapsed().as_secs_f64(), r.failure.map(|f|(f.rule,f.what)));
        }}
        return;
    }
    let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &[seed;32]));
    let mut unf=[0;4]; let mut fails=0; let mut exs=[0u64;4]; let mut bythreads=std::collections::BTreeMap::<usize,(usize,usize)>::new();
    let t = Instant::now();
    for _ in 0..n {
        let w = worlds::small().new_tree(&mut runner).unwrap().current();
        for (i,k) in KERNELS.iter().enumerate() {
            let r = states::run(Reduction::Dpor, Limits{executions: ex, ..Limits::default()}, &w.program(*k), &|_|{});
            exs[i]+=r.executions;
            let e = bythreads.entry(w.threads(k)).or_default(); e.0+=1;
            if let Some(f)=r.failure { fails+=1; println!("FAIL {} {} {}\n{}", k.name, f.rule, f.what, w.to_rust()); if fails>5 {return} }
            else if r.effort!=Effort::Complete {unf[i]+=1; e.1+=1;}
        }
    }
    println!("{n} worlds {:.2}s unfinished {unf:?} executions {exs:?} bythreads {bythreads:?}", t.elapsed().as_secs_f64());
}
