/** Images as people make them at home, and the control host's command that imports them. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { arch, homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";

interface Descriptor {
  mediaType: string;
  digest: string;
  size: number;
}

interface Manifest {
  config: Descriptor;
  layers: Descriptor[];
}

const ARCH = arch() === "x64" ? "amd64" : arch();
const BUNDLE =
  process.env.ATOLL_BUNDLE ?? join(process.env.ATOLL_CACHE ?? join(homedir(), ".cache", "atoll"), "bundle");
const LAYOUT = join(BUNDLE, "images", ARCH);
const NAME = "org.opencontainers.image.ref.name";

/** The cluster.yaml of the installed cluster, where this machine is its control host. */
export const clusterFile = process.env.ATOLL_CLUSTER_FILE;

/** Run `./atoll` as the administrator does on the control host; returns what it printed. */
export function atoll(...words: string[]): string {
  return execFileSync(join(import.meta.dirname, "..", "..", "..", "atoll"), [...words, "-f", clusterFile ?? ""], {
    encoding: "utf8",
  });
}

/** A program of the bundle that needs no library: all that an image from scratch consists of. */
export const staticProgram = join(BUNDLE, "bin", ARCH, "crane");

interface HomeMade {
  /** Files by their path in the image: text, or where to copy it from. */
  files: Record<string, string | { from: string }>;
  /** Begin with Debian (a shell, no Python), else with nothing at all. */
  debian: boolean;
  entrypoint?: string[];
}

/** Write an OCI archive, as `podman save --format oci-archive` does. */
export function makeArchive(archive: string, { files, debian, entrypoint }: HomeMade): void {
  const scratch = mkdtempSync(join(tmpdir(), "atoll-image-"));
  const layout = join(scratch, "layout");
  const blob = (content: Buffer, mediaType: string): Descriptor => {
    const digest = createHash("sha256").update(content).digest("hex");
    mkdirSync(join(layout, "blobs", "sha256"), { recursive: true });
    writeFileSync(join(layout, "blobs", "sha256", digest), content);
    return { mediaType, digest: `sha256:${digest}`, size: content.length };
  };
  const bundled = (digest: string) => readFileSync(join(LAYOUT, "blobs", digest.replace(":", "/")));
  try {
    const layers: Descriptor[] = [];
    const contents: string[] = [];
    if (debian) {
      const index = JSON.parse(readFileSync(join(LAYOUT, "index.json"), "utf8"));
      const base = index.manifests.find((each: { annotations: Record<string, string> }) =>
        each.annotations[NAME]?.includes("/atoll/base:"),
      );
      const manifest: Manifest = JSON.parse(bundled(base.digest).toString());
      for (const layer of manifest.layers) layers.push(blob(bundled(layer.digest), layer.mediaType));
      contents.push(...JSON.parse(bundled(manifest.config.digest).toString()).rootfs.diff_ids);
    }
    for (const [path, content] of Object.entries(files)) {
      const target = join(scratch, "root", path);
      mkdirSync(dirname(target), { recursive: true });
      if (typeof content === "string") writeFileSync(target, content, { mode: 0o755 });
      else copyFileSync(content.from, target);
    }
    const packed = execFileSync("tar", ["--owner=0", "--group=0", "-C", join(scratch, "root"), "-cf", "-", "."], {
      maxBuffer: 1 << 30,
    });
    layers.push(blob(packed, "application/vnd.oci.image.layer.v1.tar"));
    contents.push(layers.at(-1)?.digest ?? "");
    const config = {
      architecture: ARCH,
      os: "linux",
      config: { Env: ["PATH=/usr/local/bin:/usr/bin:/bin"], WorkingDir: "/", Entrypoint: entrypoint },
      rootfs: { type: "layers", diff_ids: contents },
    };
    const text = (value: unknown) => Buffer.from(JSON.stringify(value));
    const manifest = {
      schemaVersion: 2,
      mediaType: "application/vnd.oci.image.manifest.v1+json",
      config: blob(text(config), "application/vnd.oci.image.config.v1+json"),
      layers,
    };
    const top = blob(text(manifest), manifest.mediaType);
    writeFileSync(join(layout, "oci-layout"), text({ imageLayoutVersion: "1.0.0" }));
    writeFileSync(join(layout, "index.json"), text({ schemaVersion: 2, manifests: [top] }));
    mkdirSync(dirname(archive), { recursive: true });
    execFileSync("tar", ["-C", layout, "-cf", archive, "."]);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}
