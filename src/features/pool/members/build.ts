import type { LocalObjectReference } from '#api/core/v1/references.ts'
import type { VirtualMachine, VirtualMachineSpec } from '#api/kubevirt/v1/virtual-machine.ts'
import type { Volume } from '#api/kubevirt/v1/volume.ts'
import { virtualMachinePools } from '#api/pool/v1beta1/resources.ts'
import type { VirtualMachinePool, VirtualMachinePoolSpec } from '#api/pool/v1beta1/virtual-machine-pool.ts'
import { controllerReference } from '#runtime/ownership/controller-reference.ts'
import { memberName, poolFinalizer, revisionLabel } from '../names.ts'

/** Labels, annotations and spec that a revision of a pool gives to one of its VMs. */
export interface MemberTemplate {
  readonly metadata: { readonly labels: Record<string, string>; readonly annotations: Record<string, string> }
  readonly spec: VirtualMachineSpec
}

/** Builds the VM with this ordinal. `revision` is the name of the pool's current revision. */
export function buildMember(pool: VirtualMachinePool, ordinal: number, revision: string): VirtualMachine {
  const { metadata, spec } = templateOf(pool.spec, ordinal, revision)
  return {
    metadata: {
      ...metadata,
      name: memberName(pool, ordinal),
      namespace: pool.metadata.namespace ?? '',
      finalizers: [poolFinalizer],
      ownerReferences: [controllerReference(virtualMachinePools, pool)],
    },
    spec,
  }
}

/**
 * Returns the template of the VM with this ordinal: DataVolumes, and if asked for Secrets and
 * ConfigMaps, have names of their own. Pure.
 */
export function templateOf(spec: VirtualMachinePoolSpec, ordinal: number, revision: string): MemberTemplate {
  const { metadata, spec: vm = emptySpec } = spec.virtualMachineTemplate
  const indexed = withOrdinal(vm, spec, ordinal)
  const { template } = indexed
  return {
    metadata: { labels: { ...metadata?.labels, [revisionLabel]: revision }, annotations: { ...metadata?.annotations } },
    spec: {
      ...indexed,
      template: {
        ...template,
        metadata: { ...template.metadata, labels: { ...template.metadata?.labels, [revisionLabel]: revision } },
      },
    },
  }
}

const emptySpec: VirtualMachineSpec = { template: { spec: { domain: { devices: {} } } } }

function withOrdinal(vm: VirtualMachineSpec, { nameGeneration = {} }: VirtualMachinePoolSpec, ordinal: number): VirtualMachineSpec {
  const append = (name: string): string => `${name}-${ordinal}`
  const { dataVolumeTemplates, template } = vm
  const ownDisks = new Set(dataVolumeTemplates?.map(({ metadata }) => metadata?.name ?? ''))
  const rename: Renaming = {
    disk: (name) => (ownDisks.has(name) ? append(name) : name),
    configMap: nameGeneration.appendIndexToConfigMapRefs === true ? append : same,
    secret: nameGeneration.appendIndexToSecretRefs === true ? append : same,
  }
  const volumes = template.spec.volumes?.map((volume) => withNames(volume, rename))
  return {
    ...vm,
    ...(dataVolumeTemplates === undefined
      ? {}
      : {
          dataVolumeTemplates: dataVolumeTemplates.map((disk) => ({
            ...disk,
            metadata: { ...disk.metadata, name: append(disk.metadata?.name ?? '') },
          })),
        }),
    template: { ...template, spec: { ...template.spec, ...(volumes === undefined ? {} : { volumes }) } },
  }
}

interface Renaming {
  readonly disk: (name: string) => string
  readonly configMap: (name: string) => string
  readonly secret: (name: string) => string
}

const same = (name: string): string => name

function withNames(volume: Volume, { disk, configMap, secret }: Renaming): Volume {
  const { persistentVolumeClaim: claim, dataVolume, configMap: map, secret: secretVolume, cloudInitNoCloud, cloudInitConfigDrive } = volume
  return {
    ...volume,
    ...(claim === undefined ? {} : { persistentVolumeClaim: { ...claim, claimName: disk(claim.claimName) } }),
    ...(dataVolume === undefined ? {} : { dataVolume: { ...dataVolume, name: disk(dataVolume.name) } }),
    ...(map?.name === undefined ? {} : { configMap: { ...map, name: configMap(map.name) } }),
    ...(secretVolume?.secretName === undefined ? {} : { secret: { ...secretVolume, secretName: secret(secretVolume.secretName) } }),
    ...(cloudInitNoCloud === undefined ? {} : { cloudInitNoCloud: withSecrets(cloudInitNoCloud, secret) }),
    ...(cloudInitConfigDrive === undefined ? {} : { cloudInitConfigDrive: withSecrets(cloudInitConfigDrive, secret) }),
  }
}

interface CloudInit {
  secretRef?: LocalObjectReference
  networkDataSecretRef?: LocalObjectReference
}

function withSecrets<T extends CloudInit>(source: T, rename: (name: string) => string): T {
  const { secretRef: user, networkDataSecretRef: network } = source
  return {
    ...source,
    ...(user?.name === undefined ? {} : { secretRef: { ...user, name: rename(user.name) } }),
    ...(network?.name === undefined ? {} : { networkDataSecretRef: { ...network, name: rename(network.name) } }),
  }
}
