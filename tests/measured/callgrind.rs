//! Counts of instructions, by `valgrind --tool=callgrind`, in which a test of this program is run
//! again, in whatever profile it was built.
//!
//! What is counted are functions whose names begin with `measured_`.

use std::env;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;

/// Ends a batch. callgrind is told to look out for it.
#[inline(never)]
pub(crate) fn batch_is_over(inputs: usize) -> usize {
    black_box(inputs)
}

/// The number of instructions of each batch of the worker, which is the path of a test. `None` where
/// there is no valgrind, which is printed.
pub(crate) fn count(worker: &str) -> Option<Vec<u64>> {
    let Ok(version) = Command::new("valgrind").arg("--version").output() else {
        println!("there is no valgrind: nothing was measured");
        return None;
    };
    let version = String::from_utf8_lossy(&version.stdout);
    println!("instructions for each input, by {}", version.trim());
    let name = format!(
        "callgrind.{}.{}",
        std::process::id(),
        worker.replace("::", ".")
    );
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mut valgrind = Command::new("valgrind");
    // Of glibc: what was freed stays at hand, so that it costs the same to allocate it again.
    valgrind
        .env("GLIBC_TUNABLES", "glibc.malloc.tcache_count=2000")
        .args(["--tool=callgrind", "--combine-dumps=yes", "--dump-line=no"])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .args(["--collect-atstart=no", "--toggle-collect=*::measured_*"])
        .arg("--dump-after=*callgrind::batch_is_over")
        .arg(env::current_exe().unwrap())
        .args(["--exact", worker, "--test-threads=1"]);
    let run = valgrind.output().unwrap();
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    let dumps = fs::read_to_string(&out).unwrap();
    fs::remove_file(&out).unwrap();
    let counts = dumps
        .lines()
        .filter_map(|line| line.strip_prefix("totals: "))
        .map(|count| count.trim().parse().unwrap())
        // After the last batch there is nothing.
        .filter(|count| *count > 0)
        .collect();
    Some(counts)
}
