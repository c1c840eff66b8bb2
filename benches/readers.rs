//! How fast the readers of large captures are, and how much memory they take: `cargo bench --bench readers`.
//!
//! First 200 MB a format run through as a stream that never lies in memory, of which little is wanted: MB/s of one
//! core's time and the peak of resident memory. Then criterion measures each reader over a smaller input in memory.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::io::{BufReader, Cursor, Read};
use std::time::Instant;

use criterion::{Criterion, SamplingMode, Throughput};
use factpress::read::{Input, Want, reader};

const STREAM: usize = 200_000_000;
const BUFFER: usize = 256 * 1024;

/// Expositions as an API server serves them: mostly buckets with several labels.
fn exposition(bytes: usize) -> String {
    let mut text = String::new();
    let mut family = 0;
    while text.len() < bytes {
        let name = format!("apiserver_request_duration_seconds_{}", family % 500);
        if family < 500 {
            text.push_str(&format!("# HELP {name} [STABLE] Response latency for each verb and resource.\n"));
            text.push_str(&format!("# TYPE {name} histogram\n"));
        }
        for (i, le) in ["0.005", "0.025", "0.1", "0.5", "1", "5", "+Inf"].iter().enumerate() {
            for resource in ["configmaps", "endpointslices", "leases", "nodes", "pods", "secrets"] {
                text.push_str(&format!(
                    "{name}_bucket{{component=\"apiserver\",resource=\"{resource}\",scope=\"resource\",verb=\"GET\",shard=\"{family}\",le=\"{le}\"}} {}\n",
                    i * 1000 + family
                ));
            }
        }
        family += 1;
    }
    text
}

/// Flows as `hubble observe -o jsonpb` writes them; `escape` puts a backslash into each line.
fn flows(bytes: usize, escape: &str) -> String {
    let mut text = String::new();
    let mut n = 0;
    while text.len() < bytes {
        text.push_str(&format!(
            "{{\"flow\":{{\"time\":\"2026-10-17T03:00:{:02}.{n:09}Z\",\"uuid\":\"{n:032x}\",\"verdict\":\"FORWARDED\",\"ethernet\":{{\"source\":\"36:9e:00:00:00:01\",\"destination\":\"62:4c:00:00:00:02\"}},\"IP\":{{\"source\":\"10.244.3.17\",\"destination\":\"10.244.1.9\",\"ipVersion\":\"IPv4\"}},\"l4\":{{\"TCP\":{{\"source_port\":{},\"destination_port\":4317,\"flags\":{{\"PSH\":true,\"ACK\":true}}}}}},\"source\":{{\"ID\":1021,\"identity\":40217,\"namespace\":\"default\",\"labels\":[\"k8s:app=frontend\",\"k8s:io.kubernetes.pod.namespace=default\"],\"pod_name\":\"frontend-{}\"}},\"Type\":\"L3_L4\",\"node_name\":\"worker-{}\",\"Summary\":\"TCP Flags: ACK, PSH{escape}\"}},\"node_name\":\"worker-1\"}}\n",
            n % 60,
            30000 + n % 30000,
            n % 50,
            n % 20
        ));
        n += 1;
    }
    text
}

/// A vector as /api/v1/query answers.
fn vector(bytes: usize) -> String {
    let mut text = String::from(r#"{"status":"success","data":{"resultType":"vector","result":["#);
    let mut n = 0;
    while text.len() < bytes {
        let comma = if n == 0 { "" } else { "," };
        text.push_str(&format!(
            r#"{comma}{{"metric":{{"__name__":"up","instance":"10.77.12.{n}:6443","job":"apiserver"}},"value":[1792173634.797,"{n}.5"]}}"#
        ));
        n += 1;
    }
    text + "]}}"
}

fn want(series: &[&str], fields: &[(&str, &str)]) -> Want {
    Want {
        series: series.iter().map(|s| (*s).to_owned()).collect(),
        fields: fields.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect::<BTreeMap<_, _>>(),
    }
}

/// `block` again and again, then `last`.
struct Stream<'a> {
    block: &'a [u8],
    at: usize,
    left: usize,
}

impl Read for Stream<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let rest = &self.block[self.at..];
        let count = rest.len().min(buffer.len()).min(self.left);
        buffer[..count].copy_from_slice(&rest[..count]);
        self.at = (self.at + count) % self.block.len();
        self.left -= count;
        Ok(count)
    }
}

/// Seconds for which this program has run on a core: on a busy machine it waits, too.
fn cpu() -> Option<f64> {
    let nanos = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    Some(nanos.split(' ').next()?.parse::<f64>().ok()? / 1e9)
}

/// The peak of resident memory in MiB, where the system tells it.
fn peak() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<f64>().ok()? / 1024.0)
}

#[expect(clippy::disallowed_methods, reason = "it measures time")]
#[expect(clippy::print_stdout, reason = "it is what a person reads")]
fn stream(format: &str, what: &str, block: &str, want: &Want, last: &str) {
    let before = peak();
    let whole = block.len() * (STREAM / block.len());
    let input = Stream { block: block.as_bytes(), at: 0, left: whole }.chain(Cursor::new(last));
    let (start, start_cpu) = (Instant::now(), cpu());
    let record = reader(format)
        .expect("the format is known")
        .read(Input::new("stream", BufReader::with_capacity(BUFFER, input)), want)
        .expect("the input is right");
    let seconds = cpu().zip(start_cpu).map_or_else(|| start.elapsed().as_secs_f64(), |(now, then)| now - then);
    let kept = record.get("result").unwrap_or(&record).as_array().map_or(0, Vec::len);
    let show = |mib: Option<f64>| mib.map_or_else(|| "?".to_owned(), |mib| format!("{mib:.1}"));
    println!(
        "{format:<16} {what:<28} {:>5.0} MB {:>6.2} s of a core {:>6.0} MB/s, {kept} kept, peak {} MiB (before: {} MiB)",
        whole as f64 / 1e6,
        seconds,
        whole as f64 / 1e6 / seconds,
        show(peak()),
        show(before),
    );
}

fn streams() {
    let text = exposition(1_000_000);
    let rest: String = text.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line}\n")).collect();
    let one = "etcd_server_has_leader 1\n";
    stream("prometheus-text", "one series wanted", &text, &want(&["etcd_server_*"], &[]), one);
    stream("prometheus-text", "one label wanted", &rest, &want(&[], &[("node", "b")]), "x{node=\"b\"} 1\n");
    // the text stands in every line, but in another label: every line is lexed
    stream("prometheus-text", "text of another label", &rest, &want(&[], &[("node", "resource")]), "x{node=\"b\"} 1\n");
    let dropped = "{\"flow\":{\"verdict\":\"DROPPED\"}}\n";
    stream("jsonl", "one line wanted", &flows(1_000_000, ""), &want(&[], &[("flow.verdict", "DROPPED")]), dropped);
    stream(
        "jsonl",
        "one wanted, escapes in all",
        &flows(1_000_000, "\\n"),
        &want(&[], &[("flow.verdict", "DROPPED")]),
        dropped,
    );
    stream(
        "jsonl",
        "one wanted, text everywhere",
        &flows(1_000_000, ""),
        &want(&[], &[("flow.node_name", "worker-1"), ("flow.verdict", "ACK")]),
        dropped,
    );
}

fn measure(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("read");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    let (text, lines, answer) = (exposition(8_000_000), flows(8_000_000, ""), vector(8_000_000));
    for (format, what, input, want) in [
        ("prometheus-text", "all", &text, want(&[], &[])),
        ("prometheus-text", "one series", &text, want(&["etcd_server_*"], &[])),
        ("prometheus-text", "one label", &text, want(&["apiserver_*"], &[("shard", "7")])),
        ("jsonl", "all", &lines, want(&[], &[])),
        ("jsonl", "one line", &lines, want(&[], &[("flow.verdict", "DROPPED")])),
        ("jsonl", "one in twenty", &lines, want(&[], &[("flow.node_name", "worker-7")])),
        ("json", "all", &answer, want(&[], &[])),
        ("prometheus-api", "all", &answer, want(&[], &[])),
    ] {
        let reader = reader(format).expect("the format is known");
        group.throughput(Throughput::Bytes(input.len() as u64));
        group.bench_function(format!("{format}/{what}"), |bencher| {
            bencher.iter(|| black_box(reader.read(Input::new("bench", input.as_bytes()), &want)).is_ok());
        });
    }
    group.finish();
}

fn main() {
    // `cargo test --benches` runs everything once: it needs no figures
    if !std::env::args().any(|argument| argument == "--test") {
        streams();
    }
    let mut criterion = Criterion::default().configure_from_args();
    measure(&mut criterion);
    criterion.final_summary();
}
