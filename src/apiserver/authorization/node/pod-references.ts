import type { Container } from '#api/core/v1/container.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { Volume } from '#api/core/v1/volume.ts'

/** Objects in a pod's namespace, as `secrets/name`. */
export type References = ReadonlySet<string>

type Add = (resource: string, name: string | undefined) => void

function addVolume({ secret, configMap, persistentVolumeClaim, projected }: Volume, add: Add): void {
  add('secrets', secret?.secretName)
  add('configmaps', configMap?.name)
  add('persistentvolumeclaims', persistentVolumeClaim?.claimName)
  for (const source of projected?.sources ?? []) {
    add('secrets', source.secret?.name)
    add('configmaps', source.configMap?.name)
  }
}

function addContainer({ env, envFrom }: Container, add: Add): void {
  for (const { valueFrom } of env ?? []) {
    add('secrets', valueFrom?.secretKeyRef?.name)
    add('configmaps', valueFrom?.configMapKeyRef?.name)
  }
  for (const { secretRef, configMapRef } of envFrom ?? []) {
    add('secrets', secretRef?.name)
    add('configmaps', configMapRef?.name)
  }
}

const known = new WeakMap<Pod, References>()

/** Returns the objects that a pod refers to and its node may read. */
export function referencesOf(pod: Pod): References {
  const found = known.get(pod)
  if (found !== undefined) return found
  const references = new Set<string>()
  const add: Add = (resource, name) => {
    if (name !== undefined && name !== '') references.add(`${resource}/${name}`)
  }
  const { volumes, containers, initContainers, imagePullSecrets, serviceAccountName } = pod.spec
  for (const volume of volumes ?? []) addVolume(volume, add)
  for (const container of [...containers, ...(initContainers ?? [])]) addContainer(container, add)
  for (const { name } of imagePullSecrets ?? []) add('secrets', name)
  add('serviceaccounts', serviceAccountName)
  known.set(pod, references)
  return references
}
