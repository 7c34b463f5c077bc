import { componentNamespace } from '#api/access/component-users.ts'
import { persistentVolumeClaims, pods, services } from '#api/core/v1/resources.ts'
import { virtualMachineExports } from '#api/export/v1/resources.ts'
import type { VirtualMachineExport } from '#api/export/v1/virtual-machine-export.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { virtualMachineSnapshotContents, virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { createExportAuthoritySource } from '#features/certificates/index.ts'
import { kubeVirtsIn, type LiveConfig } from '#features/cluster-config/index.ts'
import { lookupIn } from '#features/instancetype/index.ts'
import { contentName } from '#features/snapshot/index.ts'
import { claimNameOf } from '#features/vmi/index.ts'
import { claimsOfMachine } from './source/claims-of-machine.ts'
import type { CacheEvent } from '#runtime/cache/lister.ts'
import { createController, type SharedControllerOptions } from '#runtime/controller/controller.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import { channelSource, enqueueOwner, enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { ownedInformer } from '#runtime/ownership/owner-index.ts'
import { exportSelector } from './names.ts'
import type { Ports } from './ports.ts'
import { clusterLinks } from './links/cluster-link.ts'
import { publishedLinks } from './links/published-link.ts'
import { createExportReconciler } from './reconciler.ts'

/** Dependencies of the controller. */
export interface ExportControllerOptions
  extends SharedControllerOptions, Pick<Ports, 'client' | 'recorder' | 'exportServerImage' | 'inContainer'> {
  readonly live: LiveConfig
  /** See {@link publishedLinks}. Default: a cluster, see {@link clusterLinks}. */
  readonly publishedAt?: string | undefined
}

/** Creates the controller of exports. */
export function createExportController({ informers, live, publishedAt, ...options }: ExportControllerOptions): Runnable {
  const exports = informers.informer(virtualMachineExports)
  const vms = informers.informer(virtualMachines)
  const vmis = informers.informer(virtualMachineInstances)
  const claims = informers.informer(persistentVolumeClaims)
  const snapshots = informers.informer(virtualMachineSnapshots)
  const contents = informers.informer(virtualMachineSnapshotContents)
  const ownPods = ownedInformer(informers, pods, { labelSelector: exportSelector })
  const ownServices = ownedInformer(informers, services, { labelSelector: exportSelector })
  const authority = createExportAuthoritySource(informers, componentNamespace)
  const all = (): readonly Request[] => exports.list().flatMap(enqueueSelf)
  /** Exports whose source may be the object, by kind and name. */
  const ofSource = ({ metadata }: KubeObject, kind: string, name = metadata?.name): readonly VirtualMachineExport[] =>
    exports.list(metadata?.namespace ?? '').filter(({ spec }) => spec.source.kind === kind && spec.source.name === name)
  const machinesWith = (claim: KubeObject): readonly VirtualMachineExport[] =>
    exports.list(claim.metadata?.namespace ?? '').filter(({ metadata: { namespace = '' }, spec: { source } }) => {
      if (source.kind !== 'VirtualMachine') return false
      const vm = vms.get(namespace, source.name)
      if (vm === undefined) return false
      const { disks, dumps } = claimsOfMachine(vm)
      return [...disks, ...dumps].some((name) => name === claim.metadata?.name)
    })
  /** Exports of snapshots that a claim has a copy of. */
  const copiesIn = ({ metadata: { namespace = '', name } = {} }: KubeObject): readonly VirtualMachineExport[] =>
    exports.list(namespace).filter(({ spec: { source } }) => {
      if (source.kind !== 'VirtualMachineSnapshot') return false
      const { uid = '' } = snapshots.get(namespace, source.name)?.metadata ?? {}
      return (contents.get(namespace, contentName(uid))?.spec.volumeBackups ?? []).some(({ steadyvm }) => steadyvm?.copyClaimName === name)
    })
  const wake = channelSource()
  authority.onChange(() => all().forEach((request) => wake.enqueue(request)))
  // Most changes of VMs and VMIs concern no export, and all changes would be many.
  const isNews = ({ type }: CacheEvent<KubeObject>): boolean => type !== 'updated'
  return createController({
    ...options,
    name: 'virtualmachineexport',
    reconciler: createExportReconciler({
      ...options,
      external: publishedAt === undefined ? clusterLinks(options) : publishedLinks(informers, publishedAt),
      exports,
      vms,
      vmis,
      claims,
      snapshots,
      contents,
      pods: ownPods,
      services: ownServices,
      kubevirts: kubeVirtsIn(informers),
      lookup: lookupIn(informers, options.client),
      config: live.config,
      authority,
    }),
    sources: [
      watchResource(exports, enqueueSelf),
      watchResource(ownPods, enqueueOwner(virtualMachineExports)),
      watchResource(ownServices, enqueueOwner(virtualMachineExports)),
      watchResource(vms, (vm) => ofSource(vm, 'VirtualMachine').flatMap(enqueueSelf), {
        predicate: (event) =>
          isNews(event) || (event.type === 'updated' && event.object.metadata.generation !== event.old.metadata.generation),
      }),
      watchResource(
        vmis,
        (vmi) => {
          const used = (vmi.spec.volumes ?? []).flatMap((volume) => claimNameOf(volume) ?? [])
          const ofClaims = used.flatMap((name) => [
            ...ofSource(vmi, 'PersistentVolumeClaim', name),
            ...machinesWith({ metadata: { ...vmi.metadata, name } }),
          ])
          return [...new Set([...ofSource(vmi, 'VirtualMachine'), ...ofClaims])].flatMap(enqueueSelf)
        },
        { predicate: (event) => isNews(event) || (event.type === 'updated' && event.object.status?.phase !== event.old.status?.phase) },
      ),
      watchResource(claims, (claim) => [
        ...[...ofSource(claim, 'PersistentVolumeClaim'), ...machinesWith(claim), ...copiesIn(claim)].flatMap(enqueueSelf),
        ...enqueueOwner(virtualMachineExports)(claim),
      ]),
      watchResource(snapshots, (snapshot) => ofSource(snapshot, 'VirtualMachineSnapshot').flatMap(enqueueSelf)),
      wake,
      live.wake(all),
    ],
  })
}
