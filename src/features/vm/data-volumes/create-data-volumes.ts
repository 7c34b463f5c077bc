import type { DataVolumeSource } from '#api/cdi/v1beta1/data-volume-source.ts'
import type { DataVolumeSpec } from '#api/cdi/v1beta1/data-volume-spec.ts'
import { dataSources, dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import { persistentVolumeClaims } from '#api/core/v1/resources.ts'
import type { DataVolumeTemplateSpec, VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { isAlreadyExists, isConflict, isNotFound, StatusError } from '#apimachinery/errors.ts'
import { found } from '#client/found.ts'
import { mayClone, serviceAccountUser } from '#features/data-volume/index.ts'
import type { Ports } from '../ports.ts'
import type { Prepared } from '../revisions/pin.ts'
import { dataVolumeOf, serviceAccountOf } from './template-data-volume.ts'

const createFailed = 'FailedDataVolumeCreate'

/**
 * Creates the DataVolumes of the VM's templates. The first that cannot be created delays the start.
 */
export async function createDataVolumes(ports: Ports, prepared: Prepared): Promise<Prepared> {
  for (const template of prepared.vm.spec.dataVolumeTemplates ?? []) {
    const message = await ensure(ports, prepared.vm, template)
    if (message !== undefined) return { ...prepared, failure: { reason: createFailed, message } }
  }
  return prepared
}

/** Returns why there is no DataVolume. */
async function ensure(ports: Ports, vm: VirtualMachine, template: DataVolumeTemplateSpec): Promise<string | undefined> {
  const { namespace = '' } = vm.metadata
  const name = template.metadata?.name ?? ''
  const present = ports.dataVolumes.get(namespace, name)
  if (present !== undefined) {
    // A failed one is shown by the VM's status as well: the event comes with the change.
    if (present.status?.phase === 'Failed' && vm.status?.printableStatus !== 'DataVolumeError')
      ports.recorder.event(vm, 'Warning', 'FailedDataVolumeImport', `DataVolume ${name} failed to import disk image`)
    return undefined
  }
  const copied = await copiedBy(ports, namespace, template.spec)
  if (typeof copied === 'string') return tell(ports, vm, createFailed, copied)
  const refusal = copied === undefined ? undefined : await whyNotCopied(ports, vm, copied)
  if (refusal !== undefined) return tell(ports, vm, 'UnauthorizedDataVolumeCreate', refusal)
  try {
    await ports.client.create(dataVolumes, dataVolumeOf(vm, template, copied))
  } catch (error) {
    // An earlier pass created it, and the cache does not show it yet.
    if (isAlreadyExists(error)) return undefined
    if (isConflict(error) || !(error instanceof StatusError) || error.code >= 500) throw error
    return tell(ports, vm, createFailed, `Error creating DataVolume ${name}: ${error.message}`)
  }
  ports.recorder.event(vm, 'Normal', 'SuccessfulDataVolumeCreate', `Created DataVolume ${name}`)
  return undefined
}

/** The event comes once per message: the VM is looked at again and again. */
function tell({ recorder }: Ports, vm: VirtualMachine, reason: string, message: string): string {
  const shown = vm.status?.conditions?.find(({ type }) => type === 'Failure')
  if (shown?.message !== message) recorder.event(vm, 'Warning', reason, message)
  return message
}

/** Returns what the DataVolume copies, with the namespace; a text says why that is not known. */
async function copiedBy(
  { client }: Ports,
  own: string,
  { source, sourceRef }: DataVolumeSpec,
): Promise<DataVolumeSource | string | undefined> {
  if (sourceRef === undefined) return withNamespace(source, own)
  const namespace = (sourceRef.namespace ?? '') === '' ? own : (sourceRef.namespace ?? own)
  const dataSource = await found(client.get(dataSources, { namespace, name: sourceRef.name }))
  if (dataSource === undefined) return `the DataSource ${namespace}/${sourceRef.name} does not exist`
  const { dataSource: further, ...direct } = dataSource.spec.source
  const { pvc, snapshot } = further === undefined ? direct : (dataSource.status?.source ?? {})
  const copied = withNamespace({ ...(pvc === undefined ? {} : { pvc }), ...(snapshot === undefined ? {} : { snapshot }) }, namespace)
  return copied ?? `the DataSource ${namespace}/${sourceRef.name} points to no volume yet`
}

function withNamespace({ pvc, snapshot }: DataVolumeSource = {}, otherwise: string): DataVolumeSource | undefined {
  const complete = (object: NonNullable<typeof pvc>): NonNullable<typeof pvc> => ({ ...object, namespace: object.namespace || otherwise })
  if (pvc !== undefined) return { pvc: complete(pvc) }
  return snapshot === undefined ? undefined : { snapshot: complete(snapshot) }
}

/** A VM copies volumes of other namespaces only if its service account may. */
async function whyNotCopied(
  { client, recorder }: Ports,
  vm: VirtualMachine,
  { pvc, snapshot }: DataVolumeSource,
): Promise<string | undefined> {
  const { namespace: own = '' } = vm.metadata
  const { namespace = own, name = '' } = pvc ?? snapshot ?? {}
  const account = serviceAccountOf(vm)
  if (namespace !== own && !(await mayClone(client, serviceAccountUser(own, account), namespace)))
    return `Authorization failed, message is: the service account ${own}/${account} may not create datavolumes/source in the namespace ${namespace}`
  if (pvc !== undefined) {
    const claim = await client.get(persistentVolumeClaims, { namespace, name }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error
    })
    // The name of the event is KubeVirt's.
    if (claim === undefined) recorder.event(vm, 'Warning', 'SourcePVCNotAvailabe', `The source PVC ${namespace}/${name} does not exist`)
  }
  return undefined
}
