import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import type { Pod } from '#api/core/v1/pod.ts'

/** Annotations of the kubelet's own pods. */
export const configHash = 'kubernetes.io/config.hash'
/** On the mirror in the API: the hash of what it mirrors. */
export const configMirror = 'kubernetes.io/config.mirror'
/** Annotation with the source of the pod: `file`. */
const configSource = 'kubernetes.io/config.source'

/** A manifest that is no pod. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError'
}

/**
 * Parses a manifest. The pod's uid is derived from node, file and content: the same manifest is the
 * same pod after every restart, and a changed one is another pod. @throws ManifestError
 */
export function parseStaticPod(text: string, file: string, nodeName: string): Pod {
  const pod = parseManifest(text, file)
  const hash = createHash('sha256')
    .update(JSON.stringify([nodeName, file, text]))
    .digest('hex')
    .slice(0, 32)
  return {
    ...pod,
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...pod.metadata,
      name: `${pod.metadata.name}-${nodeName}`,
      namespace: pod.metadata.namespace ?? 'default',
      uid: uidOf(hash),
      annotations: { ...pod.metadata.annotations, [configHash]: hash, [configSource]: 'file' },
    },
    spec: { ...pod.spec, nodeName },
  }
}

/** Loaded when there is a YAML manifest: the parser costs a tenth of the kubelet's start. */
function loadYaml(): typeof import('yaml') {
  return createRequire(import.meta.url)('yaml') as typeof import('yaml')
}

function parseManifest(text: string, file: string): Pod {
  let value: unknown
  try {
    value = file.endsWith('.json') ? JSON.parse(text) : loadYaml().parse(text)
  } catch (cause) {
    throw new ManifestError(`Manifest "${file}" is not ${file.endsWith('.json') ? 'JSON' : 'YAML'}`, { cause })
  }
  const pod = value as Partial<Pod> | null
  if (pod?.kind !== 'Pod') throw new ManifestError(`Manifest "${file}" must be a Pod, not ${JSON.stringify(pod?.kind)}`)
  if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(pod.metadata?.name ?? '')) {
    throw new ManifestError(`Manifest "${file}" must have a valid metadata.name, not ${JSON.stringify(pod.metadata?.name)}`)
  }
  if (!Array.isArray(pod.spec?.containers)) throw new ManifestError(`Manifest "${file}" must have spec.containers`)
  return pod as Pod
}

function uidOf(hash: string): string {
  return [hash.slice(0, 8), hash.slice(8, 12), hash.slice(12, 16), hash.slice(16, 20), hash.slice(20, 32)].join('-')
}
