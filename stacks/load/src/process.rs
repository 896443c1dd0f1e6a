//! What a server's processes use, from `/proc`.
use std::fs;
use std::time::Duration;

use loopback::Error;

/// A process and its descendants.
fn tree(pid: u32) -> Result<Vec<u32>, Error> {
    let mut parents = Vec::new();
    for entry in fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        // Processes come and go.
        if let Ok(fields) = stat(pid) {
            parents.push((pid, fields[1].parse::<u32>()?));
        }
    }
    let mut tree = vec![pid];
    let mut at = 0;
    while let Some(&parent) = tree.get(at) {
        let children = parents.iter().filter(|(_, of)| *of == parent);
        tree.extend(children.map(|(pid, _)| pid));
        at += 1;
    }
    Ok(tree)
}

/// The fields of `/proc/PID/stat` after the name, which may contain anything.
fn stat(pid: u32) -> Result<Vec<String>, Error> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let (_, fields) = text.rsplit_once(')').ok_or("no name")?;
    Ok(fields.split_whitespace().map(str::to_owned).collect())
}

/// The CPU time that the threads of a process and its descendants have used.
pub fn cpu_time(pid: u32) -> Result<Duration, Error> {
    let mut nanos = 0;
    for pid in tree(pid)? {
        for thread in fs::read_dir(format!("/proc/{pid}/task"))? {
            let text = fs::read_to_string(thread?.path().join("schedstat"))?;
            let used = text.split_whitespace().next().ok_or("no time")?;
            nanos += used.parse::<u64>()?;
        }
    }
    Ok(Duration::from_nanos(nanos))
}

/// The memory of a process and its descendants, in KiB. Pages that several share are divided
/// between them.
pub fn memory(pid: u32) -> Result<u64, Error> {
    let mut total = 0;
    for pid in tree(pid)? {
        let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))?;
        let line = text.lines().find_map(|line| line.strip_prefix("Pss:"));
        let number = line.and_then(|line| line.split_whitespace().next());
        total += number.ok_or("no Pss")?.parse::<u64>()?;
    }
    Ok(total)
}
