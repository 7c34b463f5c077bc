import type { ConfigMap } from '#api/core/v1/config-map.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { DataVolumeSource } from '#api/cdi/v1beta1/data-volume-source.ts'
import type { DataVolumeSpec } from '#api/cdi/v1beta1/data-volume-spec.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { claimNameOf } from '#features/vmi/index.ts'
import { headerSecretName, serverUris } from '../export-task.ts'
import type { LinkBase } from '../links/link.ts'
import type { SourceVolume } from '../source/source.ts'

/** What manifests are made of. */
export interface ManifestOptions {
  /** Name of the export. */
  readonly exportName: string
  /** Expanded. */
  readonly vm: VirtualMachine
  readonly volumes: readonly SourceVolume[]
  readonly base: LinkBase
}

/**
 * Builds the objects by which another cluster makes the same VM: a ConfigMap with the certificates,
 * the VM, whose DataVolumes import the disks from the export, and DataVolumes for claims that the
 * VM has no template for. The Secret with the token is not among them. Pure.
 */
export function manifestObjects({ exportName, vm, volumes, base }: ManifestOptions): readonly object[] {
  const certificates = certificatesOf(exportName, base)
  const source = (claim: string): DataVolumeSource => ({
    http: {
      url: `https://${base.hostAndBase}${serverUris.gzip(claim)}`,
      certConfigMap: certificates.metadata.name ?? '',
      secretExtraHeaders: [headerSecretName(exportName)],
    },
  })
  const ofDisks = new Set((vm.spec.template.spec.volumes ?? []).flatMap((volume) => claimNameOf(volume) ?? []))
  const templates = vm.spec.dataVolumeTemplates ?? []
  const templated = new Set(templates.map(({ metadata }) => metadata?.name))
  const exported = volumes.filter(({ isDisk, name }) => isDisk && ofDisks.has(name))
  const names = new Set(exported.map(({ name }) => name))
  return [
    certificates,
    portable(vm, (spec) => ({
      ...spec,
      ...(templates.length === 0
        ? {}
        : {
            dataVolumeTemplates: templates.map((template) => {
              const name = template.metadata?.name ?? ''
              return names.has(name) ? { ...template, spec: importing(template.spec, source(name)) } : template
            }),
          }),
    })),
    ...exported.filter(({ name }) => !templated.has(name)).map((volume) => dataVolumeOf(volume, source(volume.name))),
  ]
}

function certificatesOf(exportName: string, { certificates }: LinkBase): ConfigMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `export-ca-cm-${exportName}` }, data: { 'ca.pem': certificates.trim() } }
}

/** Keeps what the user wrote, and nothing of this cluster. */
function portable(
  { metadata: { name = '', namespace = '', labels, annotations }, spec }: VirtualMachine,
  change: (spec: VirtualMachine['spec']) => VirtualMachine['spec'],
): VirtualMachine {
  const { ['kubectl.kubernetes.io/last-applied-configuration']: _applied, ...noted } = annotations ?? {}
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: {
      name,
      namespace,
      ...(labels === undefined ? {} : { labels }),
      ...(Object.keys(noted).length === 0 ? {} : { annotations: noted }),
    },
    spec: change(spec),
  }
}

/** Replaces whatever the volume was filled from here. */
function importing({ sourceRef: _ref, pvc, storage, ...spec }: DataVolumeSpec, source: DataVolumeSource): DataVolumeSpec {
  return {
    ...spec,
    ...(pvc === undefined ? {} : { pvc: withoutSource(pvc) }),
    ...(storage === undefined ? {} : { storage: withoutSource(storage) }),
    source,
  }
}

function withoutSource<T extends object>(claim: T): T {
  return Object.fromEntries(Object.entries(claim).filter(([field]) => field !== 'dataSource' && field !== 'dataSourceRef')) as T
}

function dataVolumeOf({ name, claim: { metadata, spec } }: SourceVolume, source: DataVolumeSource): DataVolume {
  const { namespace = '' } = metadata
  const { accessModes, volumeMode, resources } = spec ?? {}
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: { name, namespace },
    spec: {
      source,
      storage: {
        ...(accessModes === undefined ? {} : { accessModes }),
        ...(volumeMode === undefined ? {} : { volumeMode }),
        ...(resources === undefined ? {} : { resources }),
      },
    },
  }
}
