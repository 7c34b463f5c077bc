import type { Container } from '#api/core/v1/container.ts'
import type { PodSpec } from '#api/core/v1/pod.ts'
import type { Volume } from '#api/core/v1/volume.ts'
import { generateName } from '#apimachinery/names.ts'

/** Mount path at which client libraries look for the token. */
const tokenPath = '/var/run/secrets/kubernetes.io/serviceaccount'
const volumePrefix = 'kube-api-access-'
const expirationSeconds = 3607

/**
 * Mounts token, CA certificate and namespace into every container without another mount there.
 * Returns the same spec when nothing is missing. Pure.
 */
export function withTokenVolume(spec: PodSpec, random: () => number): PodSpec {
  const all = [...spec.containers, ...(spec.initContainers ?? [])]
  if (all.every(hasTokenMount)) return spec
  const known = spec.volumes?.find(({ name }) => name.startsWith(volumePrefix))
  const volume = known ?? tokenVolume(generateName(volumePrefix, random))
  const mounted = (container: Container): Container =>
    hasTokenMount(container)
      ? container
      : { ...container, volumeMounts: [...(container.volumeMounts ?? []), { name: volume.name, readOnly: true, mountPath: tokenPath }] }
  return {
    ...spec,
    ...(known === undefined ? { volumes: [...(spec.volumes ?? []), volume] } : {}),
    containers: spec.containers.map(mounted),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(mounted) }),
  }
}

function hasTokenMount({ volumeMounts = [] }: Container): boolean {
  return volumeMounts.some(({ mountPath }) => mountPath === tokenPath)
}

function tokenVolume(name: string): Volume {
  return {
    name,
    projected: {
      defaultMode: 0o644,
      sources: [
        { serviceAccountToken: { expirationSeconds, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
      ],
    },
  }
}
