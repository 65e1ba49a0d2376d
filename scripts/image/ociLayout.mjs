/**
 * An image as one tar archive: an OCI image layout, with Docker's older index beside it, so that
 * `docker load` of any version, podman, skopeo and containerd take the same file. The same layers
 * and settings give the same bytes.
 */
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { writeTar } from "./tarFile.mjs";

/**
 * @typedef {object} ImageParts
 * @property {readonly Buffer[]} layers tar archives, the lowest first
 * @property {"amd64" | "arm64"} architecture
 * @property {string} created when, in ISO 8601
 * @property {object} config how a container of it runs
 * @property {string} tag such as "orrery:0.1.0"
 */

const TYPES = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar+gzip",
};

/** @type {(parts: ImageParts) => { readonly tar: Buffer, readonly digest: string }} */
export function imageOf({ layers, architecture, created, config, tag }) {
  const packed = layers.map((tar) => ({ tar, bytes: gzipSync(tar, { level: 9 }) }));
  const settings = json({
    architecture,
    os: "linux",
    created,
    config,
    rootfs: { type: "layers", diff_ids: layers.map(digestOf) },
    history: layers.map((_layer, index) => ({ created, created_by: `orrery layer ${index + 1}` })),
  });
  const manifest = json({
    schemaVersion: 2,
    mediaType: TYPES.manifest,
    config: descriptor(TYPES.config, settings),
    layers: packed.map(({ bytes }) => descriptor(TYPES.layer, bytes)),
  });
  const index = json({
    schemaVersion: 2,
    mediaType: TYPES.index,
    manifests: [
      {
        ...descriptor(TYPES.manifest, manifest),
        platform: { architecture, os: "linux" },
        annotations: {
          "io.containerd.image.name": `docker.io/library/${tag}`,
          "org.opencontainers.image.ref.name": tag.replace(/^.*:/, ""),
        },
      },
    ],
  });
  const former = json([
    {
      Config: blobPath(settings),
      RepoTags: [tag],
      Layers: packed.map(({ bytes }) => blobPath(bytes)),
    },
  ]);
  const blobs = [settings, manifest, ...packed.map(({ bytes }) => bytes)];
  const files = new Map([
    ["oci-layout", json({ imageLayoutVersion: "1.0.0" })],
    ["index.json", index],
    ["manifest.json", former],
    ...blobs.map((bytes) => /** @type {const} */ ([blobPath(bytes), bytes])),
  ]);
  const folders = ["blobs", "blobs/sha256"];
  const tar = writeTar([
    ...folders.map((path) => ({ path, kind: /** @type {const} */ ("folder"), mode: 0o755 })),
    ...[...files].map(([path, content]) => {
      return { path, kind: /** @type {const} */ ("file"), mode: 0o644, content };
    }),
  ]);
  return { tar, digest: digestOf(manifest) };
}

/** @type {(bytes: Buffer) => string} */
export function digestOf(bytes) {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** @type {(bytes: Buffer) => string} */
function blobPath(bytes) {
  return `blobs/${digestOf(bytes).replace(":", "/")}`;
}

/** @type {(mediaType: string, bytes: Buffer) => object} */
function descriptor(mediaType, bytes) {
  return { mediaType, digest: digestOf(bytes), size: bytes.length };
}

/** @type {(value: unknown) => Buffer} */
function json(value) {
  return Buffer.from(JSON.stringify(value));
}
