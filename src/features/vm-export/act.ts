import { createHash } from 'node:crypto'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { configMaps, persistentVolumeClaims, pods, secrets, services } from '#api/core/v1/resources.ts'
import { virtualMachineExports } from '#api/export/v1/resources.ts'
import type { VirtualMachineExport } from '#api/export/v1/virtual-machine-export.ts'
import { isAlreadyExists, isConflict, isNotFound, messageOf } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import type { Observed, Step } from './decide.ts'
import { expirationOf } from './decide.ts'
import { linkBases } from './links/link-bases.ts'
import { manifestConfigMapOf } from './manifest/manifest-config-map.ts'
import { certificateTermOf } from './observe.ts'
import { exporterPodOf, objectsOf } from './pod/exporter-pod.ts'
import { exporterServiceOf } from './pod/exporter-service.ts'
import { servingSecretOf, tokenSecretOf } from './pod/secrets.ts'
import type { Ports } from './ports.ts'

/** Does what was decided. Each write can be repeated, and a kill between two is made up for. */
export async function act(ports: Ports, observed: Observed, step: Step, signal: AbortSignal): Promise<void> {
  const { vmExport } = observed
  if (step.kind === 'none') return
  if (step.kind === 'expire') return remove(ports, virtualMachineExports, vmExport, signal)
  if (step.createService) await createService(ports, vmExport, signal)
  for (const claim of step.createClaims) await createClaim(ports, vmExport, claim, signal)
  const { pod } = step
  switch (pod.kind) {
    case 'none':
      return
    case 'create':
      return createPod(ports, observed, signal)
    case 'equip':
      return equip(ports, observed, pod.pod, signal)
    case 'delete':
      ports.recorder.event(vmExport, 'Warning', pod.why.reason, pod.why.message)
      return remove(ports, pods, pod.pod, signal)
  }
}

async function createService(ports: Ports, vmExport: VirtualMachineExport, signal: AbortSignal): Promise<void> {
  const service = exporterServiceOf(vmExport)
  // One of an earlier export of the name is about to be deleted: trying again finds it gone.
  await ports.client.create(services, service, { signal })
  const { namespace, name } = service.metadata
  ports.recorder.event(vmExport, 'Normal', 'ServiceCreated', `Created service ${namespace}/${name}`)
}

async function createClaim(ports: Ports, vmExport: VirtualMachineExport, claim: PersistentVolumeClaim, signal: AbortSignal): Promise<void> {
  const { namespace, name } = claim.metadata
  try {
    if (await createOnce(ports, persistentVolumeClaims, claim, signal))
      ports.recorder.event(vmExport, 'Normal', 'ClaimCreated', `Created claim ${namespace}/${name} from the snapshot`)
  } catch (error) {
    ports.recorder.event(vmExport, 'Warning', 'FailedCreate', `Error creating claim ${namespace}/${name}: ${messageOf(error)}`)
    throw error
  }
}

async function createPod(ports: Ports, observed: Observed, signal: AbortSignal): Promise<void> {
  const { vmExport, source, external, certificateParameters, now } = observed
  const { durationMs, renewBeforeMs } = certificateTermOf(ports)
  if (vmExport.spec.tokenSecretRef === undefined) {
    const secret = tokenSecretOf(vmExport)
    const { namespace, name } = secret.metadata
    if (await createOnce(ports, secrets, secret, signal))
      ports.recorder.event(vmExport, 'Normal', 'SecretCreated', `Created default secret ${namespace}/${name}`)
  }
  const pod = exporterPodOf(vmExport, {
    volumes: source.volumes,
    hasManifests: source.vm !== undefined,
    image: ports.exportServerImage,
    inContainer: ports.inContainer,
    // A new pod gets a new certificate.
    deadline: timestamp(Math.min(now + durationMs - renewBeforeMs, expirationOf(vmExport))),
    certificateParameters,
    externalAddress: external.base?.hostAndBase ?? '',
    tls: ports.config().tls,
    suffix: suffixOf(vmExport, now),
  })
  const created = await ports.client.create(pods, pod, { signal }).catch((error: unknown) => {
    // Such as a quota that is exhausted. The pod of an earlier export of the name is about to go.
    if (!isAlreadyExists(error))
      ports.recorder.event(vmExport, 'Warning', 'FailedCreate', `Error creating exporter pod: ${messageOf(error)}`)
    throw error
  })
  const { namespace, name } = created.metadata
  ports.recorder.event(vmExport, 'Normal', 'ExporterPodCreated', `Created exporter pod ${namespace}/${name}`)
  await equip(ports, observed, created, signal)
}

/**
 * Ends the names of the objects of one pod. Another pod of the export is created at another time.
 */
function suffixOf({ metadata }: VirtualMachineExport, now: number): string {
  return createHash('sha256')
    .update(`${metadata.uid ?? ''}/${now}`)
    .digest('hex')
    .slice(0, 12)
}

/** Creates what a pod waits for. It is not read, which would take the right to read all Secrets. */
async function equip(ports: Ports, { vmExport, source, external, now }: Observed, pod: Pod, signal: AbortSignal): Promise<void> {
  const authority = ports.authority.current()
  const { secret, configMap } = objectsOf(pod)
  if (authority === undefined || secret === undefined) return
  if (configMap !== undefined && source.vm !== undefined) {
    const options = { exportName: vmExport.metadata.name ?? '', vm: source.vm, volumes: source.volumes }
    const manifests = manifestConfigMapOf(pod, configMap, linkBases(ports, { vmExport, external }), options)
    if (await createOnce(ports, configMaps, manifests, signal)) {
      const message = `Created exporter data manifest ${manifests.metadata.namespace}/${configMap}`
      ports.recorder.event(vmExport, 'Normal', 'DataManifestCreated', message)
    }
  }
  const lifetimeMs = certificateTermOf(ports).durationMs
  const serving = await servingSecretOf(vmExport, pod, secret, authority, { nowMs: now, lifetimeMs })
  if (await createOnce(ports, secrets, serving, signal))
    ports.recorder.event(vmExport, 'Normal', 'SecretCreated', 'Created exporter pod secret')
}

/** Resolves to false when there is one already: an earlier pass created it. */
async function createOnce<T extends KubeObject>(
  { client }: Pick<Ports, 'client'>,
  resource: ResourceType<T>,
  object: T,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await client.create(resource, object, { signal })
    return true
  } catch (error) {
    if (isAlreadyExists(error)) return false
    throw error
  }
}

async function remove<T extends KubeObject>(
  { client }: Pick<Ports, 'client'>,
  resource: ResourceType<T>,
  { metadata }: T,
  signal: AbortSignal,
): Promise<void> {
  const { namespace = '', name = '', uid = '' } = metadata ?? {}
  try {
    await client.delete(resource, { namespace, name }, { preconditions: { uid }, signal })
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
}
