import { setImmediate as turn } from "node:timers/promises";
import { BOUNDS, type Distribution, type Labels } from "../../domain/figures.ts";

/** A metric with its series; `name` is without the prefix. */
export interface Family {
  name: string;
  type: "counter" | "gauge" | "histogram";
  help: string;
  samples: Iterable<Sample>;
}
export interface Sample {
  labels?: Labels;
  value: number;
  /** For histograms: the kind of series. */
  series?: "bucket" | "sum" | "count";
}

export const gauge = (name: string, help: string, value: number): Family => ({
  ...{ name, type: "gauge", help },
  samples: [{ value }],
});

export function histogram(name: string, help: string, distributions: Distribution<Labels>[]): Family {
  const samplesOf = ({ labels, counts, sum }: Distribution<Labels>): Sample[] => {
    let value = 0;
    const buckets = counts.map((count, n): Sample => {
      value += count;
      return { series: "bucket", labels: { ...labels, le: `${BOUNDS[n] ?? "+Inf"}` }, value };
    });
    return [...buckets, { series: "sum", labels, value: sum }, { series: "count", labels, value }];
  };
  return { name, type: "histogram", help, samples: distributions.flatMap(samplesOf) };
}

/** Lines written per turn of the event loop. */
const AT_ONCE = 1_000;

/** Prometheus exposition format, version 0.0.4, in chunks; yields to the event loop between them. */
export async function* exposition(families: Family[]): AsyncGenerator<string> {
  let lines: string[] = [];
  for (const { name, type, help, samples } of families) {
    lines.push(`# HELP gangway_${name} ${help}`, `# TYPE gangway_${name} ${type}`);
    for (const sample of samples) {
      lines.push(lineOf(name, sample));
      if (lines.length < AT_ONCE) continue;
      yield `${lines.join("\n")}\n`;
      lines = [];
      await turn();
    }
  }
  yield `${lines.join("\n")}\n`;
}

const quoted = (value: string) => `"${value.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n")}"`;

function lineOf(name: string, { series, labels = {}, value }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}=${quoted(text)}`);
  return `gangway_${name}${series ? `_${series}` : ""}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${value}`;
}
