import type { DataImportCron } from '#api/cdi/v1beta1/data-import-cron.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { OwnerReference } from '#apimachinery/meta/object-meta.ts'
import type { Import } from '../imports/import.ts'
import { derivedName, names } from '../names.ts'
import type { BootWish } from './wish.ts'

/** Name of the VM that boots images of a DataImportCron, and of its disk: one at a time. Pure. */
export function bootName({ metadata: { name = '', uid = '' } }: DataImportCron): string {
  return derivedName('verify', name, uid)
}

/**
 * Returns a VM that boots a copy of an image, with the hardware that the image asks for by its
 * labels, as VMs of users have it. It has no network: nothing is known of the image yet. Pure.
 */
export function bootVmOf(cron: DataImportCron, image: Import, { memory }: BootWish, owner: OwnerReference): VirtualMachine {
  const name = bootName(cron)
  const labels = { ...image.dataVolume?.metadata.labels, ...image.claim?.metadata.labels }
  const matcher = (what: 'instancetype' | 'preference'): { name: string; kind?: string } | undefined => {
    const named = labels[`instancetype.kubevirt.io/default-${what}`]
    const kind = labels[`instancetype.kubevirt.io/default-${what}-kind`]
    return named === undefined || named === '' ? undefined : { name: named, ...(kind === undefined ? {} : { kind }) }
  }
  const [instancetype, preference] = [matcher('instancetype'), matcher('preference')]
  const architecture = cron.spec.template.spec.source?.registry?.platform?.architecture ?? ''
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: {
      name,
      namespace: cron.metadata.namespace ?? '',
      labels: { [names.cronLabel]: cron.metadata.name ?? '' },
      annotations: { [names.verifies]: image.name },
      ownerReferences: [owner],
    },
    spec: {
      runStrategy: 'Once',
      ...(instancetype === undefined ? {} : { instancetype }),
      ...(preference === undefined ? {} : { preference }),
      template: {
        spec: {
          ...(architecture === '' ? {} : { architecture }),
          terminationGracePeriodSeconds: 0,
          domain: {
            devices: { autoattachPodInterface: false, disks: [{ name: 'image', disk: {} }] },
            ...(instancetype === undefined ? { memory: { guest: memory } } : {}),
          },
          volumes: [{ name: 'image', dataVolume: { name } }],
        },
      },
    },
  }
}

/** Returns the copy of an image that a VM boots. It goes with the VM. Pure. */
export function bootCopyOf(image: Import, vm: VirtualMachine): DataVolume {
  const { name = '', namespace = '', uid = '' } = vm.metadata
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: {
      name,
      namespace,
      annotations: { [names.immediateBinding]: 'true', [names.verifies]: image.name },
      ownerReferences: [{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name, uid, controller: true, blockOwnerDeletion: true }],
    },
    spec: { source: { pvc: { namespace, name: image.name } }, storage: {} },
  }
}
