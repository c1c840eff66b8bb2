//! Masking and verifying captures of 200 MB with 15,000 names: `cargo bench --bench masking`.
//!
//! The captures are made on the first run, the same ones every time, in `target/tmp/masking/`; `names.txt` beside them is for other tools.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::hint::black_box;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use factpress::pipeline::{Measure, bundle};

/// How much each capture holds.
const SIZE: u64 = 200_000_000;

const NODES: usize = 1_000;
const PODS: usize = 14_000;

/// Numbers that look like chance and are the same every time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % limit
    }

    fn letters(&mut self, set: &[u8], count: usize) -> String {
        (0..count).map(|_| char::from(set[self.below(set.len())])).collect()
    }
}

struct Cluster {
    nodes: Vec<(String, String)>,
    /// Name, address, node.
    pods: Vec<(String, String, usize)>,
}

fn cluster() -> Cluster {
    let mut chance = Chance(7);
    let nodes = (0..NODES).map(|i| {
        (format!("rack{:02}-n{i:05}", i % 40), format!("10.{}.{}.{}", 20 + i / 250, i % 40, 1 + i / 40 % 250))
    });
    let apps = [
        "coredns",
        "cilium-agent",
        "otel-collector",
        "web-frontend",
        "orders-api",
        "tempo-ingester",
        "node-exporter",
        "payments",
    ];
    let nodes: Vec<_> = nodes.collect();
    let pods = (0..PODS).map(|i| {
        let hash = chance.letters(b"0123456789abcdef", 9);
        let end = chance.letters(b"bcdfghjklmnpqrstvwxz2456789", 5);
        (format!("{}-1{hash}-{end}", apps[i % apps.len()]), format!("10.244.{}.{}", i / 250, 2 + i % 250), i % NODES)
    });
    Cluster { nodes, pods: pods.collect() }
}

/// What kube-state-metrics, cAdvisor and etcd expose.
fn exposition(cluster: &Cluster, file: &mut impl Write) -> std::io::Result<()> {
    let mut chance = Chance(11);
    let mut written = 0;
    let mut line = String::new();
    let families = [
        "container_cpu_usage_seconds_total",
        "container_memory_working_set_bytes",
        "kube_pod_info",
        "kube_pod_status_phase",
        "container_network_receive_bytes_total",
    ];
    for round in 0.. {
        let family = families[round % families.len()];
        writeln!(file, "# HELP {family} What the family shows\n# TYPE {family} counter")?;
        for (pod, address, node) in &cluster.pods {
            let (name, host) = &cluster.nodes[*node];
            let value = chance.below(1_000_000_000);
            line.clear();
            let done = match round % 5 {
                0 | 1 | 4 => writeln!(
                    line,
                    "{family}{{namespace=\"team-{}\",pod=\"{pod}\",container=\"main\",instance=\"{host}:10250\",node=\"{name}\",job=\"kubelet\",interface=\"eth{}\"}} {value}.{:03} 17{:011}",
                    node % 30,
                    round % 9,
                    value % 1000,
                    value
                ),
                _ => writeln!(
                    line,
                    "{family}{{namespace=\"team-{}\",pod=\"{pod}\",host_ip=\"{host}\",pod_ip=\"{address}\",node=\"{name}\",created_by_kind=\"ReplicaSet\",phase=\"Running\",shard=\"{}\"}} {value}",
                    node % 30,
                    round % 9
                ),
            };
            done.expect("a String takes everything");
            file.write_all(line.as_bytes())?;
            written += line.len() as u64;
            if written >= SIZE {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// What `hubble observe` prints for people.
fn flows(cluster: &Cluster, file: &mut impl Write) -> std::io::Result<()> {
    let mut chance = Chance(13);
    let mut written = 0;
    let mut line = String::new();
    for flow in 0u64.. {
        let (from, _, _) = &cluster.pods[chance.below(PODS)];
        let (to, address, _) = &cluster.pods[chance.below(PODS)];
        let port = 32_768 + chance.below(28_000);
        let (minute, second, milli) = (flow / 60_000 % 60, flow / 1000 % 60, flow % 1000);
        line.clear();
        let done = if flow % 4 == 0 {
            writeln!(
                line,
                "Oct 16 18:{minute:02}:{second:02}.{milli:03}: {address}:{port} (remote-node) -> team-3/{to}:8080 (ID:{}) to-endpoint FORWARDED (TCP Flags: ACK)",
                10_000 + flow % 9000
            )
        } else {
            writeln!(
                line,
                "Oct 16 18:{minute:02}:{second:02}.{milli:03}: team-1/{from}:{port} (ID:{}) -> team-2/{to}:4317 (ID:{}) to-overlay FORWARDED (TCP Flags: ACK, PSH)",
                10_000 + flow % 9000,
                20_000 + flow % 7000
            )
        };
        done.expect("a String takes everything");
        file.write_all(line.as_bytes())?;
        written += line.len() as u64;
        if written >= SIZE {
            break;
        }
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "a benchmark writes what it measures")]
fn captures() -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("masking");
    if root.join("names.txt").exists() {
        return root;
    }
    let cluster = cluster();
    let make = |part: &str, format: &str, write: &dyn Fn(&mut BufWriter<File>) -> std::io::Result<()>| {
        let folder = root.join(part);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("capture.toml"), format!("[{part}]\nfile = \"{part}.txt\"\nformat = \"{format}\"\n"))?;
        let mut file = BufWriter::new(File::create(folder.join(format!("{part}.txt")))?);
        write(&mut file)?;
        file.flush()
    };
    make("exposition", "prometheus-text", &|file| exposition(&cluster, file)).expect("the exposition is made");
    make("flows", "hubble-compact", &|file| flows(&cluster, file)).expect("the flows are made");
    let mut names: Vec<&str> = cluster.nodes.iter().map(|(name, _)| name.as_str()).collect();
    names.extend(cluster.pods.iter().map(|(name, _, _)| name.as_str()));
    fs::write(root.join("names.txt"), names.join("\n") + "\n").expect("the names are written");
    root
}

fn masking(criterion: &mut Criterion) {
    let root = captures();
    let mut group = criterion.benchmark_group("mask-and-verify");
    group.sample_size(10).throughput(Throughput::Bytes(SIZE));
    for part in ["exposition", "flows"] {
        group.bench_function(part, |bencher| {
            bencher.iter(|| {
                let measure = Measure::open(&root.join(part)).expect("captures");
                let out = root.join(format!("{part}-bundle"));
                black_box(bundle(&measure, &out, None, &|_| {}).expect("a bundle"))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, masking);
criterion_main!(benches);
