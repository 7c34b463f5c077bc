import type { Pod } from '#api/core/v1/pod.ts'
import type { AccessCredential } from '#api/kubevirt/v1/access-credential.ts'
import type { VirtualMachineInstance, VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { InstancetypeMatcher, InstancetypeStatusRef, VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { Volume } from '#api/kubevirt/v1/volume.ts'
import type { LabelSelector } from '#apimachinery/selectors/label-selector.ts'

/** An object that a VM depends on, as in KubeVirt's `ObjectGraphNode`. */
export interface ObjectGraphNode {
  readonly objectReference: {
    readonly apiGroup: string
    readonly kind: string
    readonly name: string
    readonly namespace: string
  }
  readonly labels: Readonly<Record<string, string>>
  /** True for an object without which the VM can be restored. */
  readonly optional?: boolean
  readonly children?: readonly ObjectGraphNode[]
}

/** Objects of the namespace that the graph needs. */
export interface GraphObjects {
  /** Launcher pod of the guest. */
  readonly pod: Pick<Pod, 'metadata'> | undefined
  /** Name of the claim with the state of firmware and TPM. */
  readonly stateClaim: string | undefined
}

/** Choice of the nodes below the root. */
export interface GraphFilter {
  readonly includesOptional: boolean
  /** Selects by the labels of nodes. */
  readonly selector: LabelSelector
}

const dependencyLabel = 'kubevirt.io/dependency-type'

/** Kinds of the graph: their group, and the label of their nodes. */
const kinds = {
  VirtualMachine: ['kubevirt.io', 'compute'],
  VirtualMachineInstance: ['kubevirt.io', 'compute'],
  Pod: ['', 'compute'],
  VirtualMachineInstancetype: ['instancetype.kubevirt.io', 'config'],
  VirtualMachineClusterInstancetype: ['instancetype.kubevirt.io', 'config'],
  VirtualMachinePreference: ['instancetype.kubevirt.io', 'config'],
  VirtualMachineClusterPreference: ['instancetype.kubevirt.io', 'config'],
  ControllerRevision: ['apps', 'config'],
  ConfigMap: ['', 'config'],
  Secret: ['', 'config'],
  ServiceAccount: ['', 'config'],
  DataVolume: ['cdi.kubevirt.io', 'storage'],
  PersistentVolumeClaim: ['', 'storage'],
  NetworkAttachmentDefinition: ['k8s.cni.cncf.io', 'network'],
} as const

type Kind = keyof typeof kinds

interface NodeOptions {
  readonly isOptional?: boolean
  readonly children?: readonly ObjectGraphNode[]
}

function node(kind: Kind, namespace: string, name: string, { isOptional = false, children = [] }: NodeOptions = {}): ObjectGraphNode {
  const [apiGroup, dependency] = kinds[kind]
  return {
    objectReference: { apiGroup, kind, name, namespace },
    labels: { [dependencyLabel]: dependency },
    ...(isOptional ? { optional: true } : {}),
    ...(children.length === 0 ? {} : { children }),
  }
}

/** Returns everything that a VM depends on. Pure. */
export function graphOfVm(vm: VirtualMachine, objects: GraphObjects, filter: GraphFilter): ObjectGraphNode {
  const { name = '', namespace = '' } = vm.metadata
  const { spec, status } = vm
  const guest =
    status?.created === true ? [node('VirtualMachineInstance', namespace, name, { children: podNodes(namespace, objects) })] : []
  const children = [
    ...guest,
    ...matched(namespace, spec.instancetype, status?.instancetypeRef, 'VirtualMachineClusterInstancetype'),
    ...matched(namespace, spec.preference, status?.preferenceRef, 'VirtualMachineClusterPreference'),
    ...dependencies(namespace, spec.template.spec, objects),
  ]
  return node('VirtualMachine', namespace, name, { children: chosen(children, filter) })
}

/** Returns everything that a guest depends on. Pure. */
export function graphOfVmi(vmi: VirtualMachineInstance, objects: GraphObjects, filter: GraphFilter): ObjectGraphNode {
  const { name = '', namespace = '' } = vmi.metadata
  const children = [...podNodes(namespace, objects), ...dependencies(namespace, vmi.spec, objects)]
  return node('VirtualMachineInstance', namespace, name, { children: chosen(children, filter) })
}

function chosen(nodes: readonly ObjectGraphNode[], filter: GraphFilter): ObjectGraphNode[] {
  return nodes
    .filter(({ optional, labels }) => (optional !== true || filter.includesOptional) && filter.selector.matches(labels))
    .map(({ children = [], ...own }) => {
      const below = chosen(children, filter)
      return below.length === 0 ? own : { ...own, children: below }
    })
}

function podNodes(namespace: string, { pod }: GraphObjects): ObjectGraphNode[] {
  return pod === undefined ? [] : [node('Pod', namespace, pod.metadata.name ?? '')]
}

/** An instance type or preference, and the revision in use. */
function matched(
  namespace: string,
  matcher: InstancetypeMatcher | undefined,
  used: InstancetypeStatusRef | null | undefined,
  defaultKind: Kind,
): ObjectGraphNode[] {
  if (matcher === undefined) return []
  const kind = (Object.keys(kinds) as Kind[]).find((one) => one.toLowerCase() === matcher.kind?.toLowerCase()) ?? defaultKind
  const scope = kind.startsWith('VirtualMachineCluster') ? '' : namespace
  const revision = used?.controllerRevisionRef?.name ?? (used ? undefined : matcher.revisionName)
  return [
    node(kind, scope, matcher.name ?? '', { isOptional: true }),
    ...(revision === undefined || revision === '' ? [] : [node('ControllerRevision', namespace, revision)]),
  ]
}

function dependencies(
  namespace: string,
  { accessCredentials = [], volumes = [], networks = [] }: VirtualMachineInstanceSpec,
  { stateClaim }: GraphObjects,
): ObjectGraphNode[] {
  return [
    ...accessCredentials.flatMap((credential) => credentialNodes(namespace, credential)),
    ...volumes.flatMap((volume) => volumeNodes(namespace, volume)),
    ...(stateClaim === undefined ? [] : [node('PersistentVolumeClaim', namespace, stateClaim)]),
    ...networks.flatMap(({ multus }) => {
      if (multus === undefined || multus.networkName === '') return []
      const [first = '', second] = multus.networkName.split('/')
      const [scope, name] = second === undefined ? [namespace, first] : [first, second]
      return [node('NetworkAttachmentDefinition', scope, name, { isOptional: true })]
    }),
  ]
}

function credentialNodes(namespace: string, { sshPublicKey, userPassword }: AccessCredential): ObjectGraphNode[] {
  const secret = sshPublicKey?.source.secret ?? userPassword?.source.secret
  return secret === undefined ? [] : [node('Secret', namespace, secret.secretName)]
}

function volumeNodes(namespace: string, volume: Volume): ObjectGraphNode[] {
  const { dataVolume, persistentVolumeClaim: claim, configMap, secret, serviceAccount } = volume
  if (dataVolume !== undefined) {
    // The claim of a DataVolume has its name.
    const children = [node('PersistentVolumeClaim', namespace, dataVolume.name)]
    return [node('DataVolume', namespace, dataVolume.name, { children })]
  }
  if (claim !== undefined) return [node('PersistentVolumeClaim', namespace, claim.claimName)]
  if (configMap !== undefined) return [node('ConfigMap', namespace, configMap.name ?? '')]
  if (secret !== undefined) return [node('Secret', namespace, secret.secretName ?? '')]
  if (serviceAccount !== undefined) return [node('ServiceAccount', namespace, serviceAccount.serviceAccountName ?? '')]
  const seed = volume.cloudInitNoCloud ?? volume.cloudInitConfigDrive
  return [seed?.secretRef, seed?.networkDataSecretRef].flatMap((reference) =>
    reference?.name === undefined ? [] : [node('Secret', namespace, reference.name)],
  )
}
