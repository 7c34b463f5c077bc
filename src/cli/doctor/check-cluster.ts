import { componentNamespace } from '#api/access/component-users.ts'
import { systemLabels } from '#api/access/managed.ts'
import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import type { Node } from '#api/core/v1/node.ts'
import { findCondition, isTrue } from '#apimachinery/conditions.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { isInstalledByOperator } from '#features/operator/index.ts'
import { acceleratorLabel } from '#features/launcher/index.ts'
import type { ClusterFacts, Fact } from './observe-cluster.ts'
import type { Finding } from './finding.ts'

/** Minor version of Kubernetes whose tokens name the node of a pod. */
const oldestMinor = 31

/** Folder of the kubelets by a suffix of their version, where it is not `/var/lib/kubelet`. */
const kubeletFolders: readonly (readonly [suffix: string, folder: string])[] = [['+k0s', '/var/lib/k0s/kubelet']]

/** Names of the DaemonSets of network plugins. */
const networkPlugins =
  /^(antrea-agent|aws-node|azure-cns|calico-node|canal|cilium|kindnet|kube-flannel-ds|kube-router|ovnkube-node|weave-net)$/

/** Compares a cluster with what an installation needs. One finding for each check. Pure. */
export function checkCluster(facts: ClusterFacts): readonly Finding[] {
  return [
    check('version', { value: facts.version }, checkVersion),
    check('policies', facts.hasAdmissionPolicies, checkPolicies),
    check('rights', facts.missingRights, checkRights),
    check('nodes', facts.nodes, checkNodes),
    check('runtime', facts.nodes, checkRuntimes),
    check('kubelet', facts.nodes, checkKubelets),
    check('accelerator', facts.nodes, checkAccelerators),
    check('image volumes', facts.hasImageVolumes, checkImageVolumes),
    check('storage', facts.storageClasses, checkStorage),
    check('network', facts.nodes, (nodes) => checkNetwork(nodes, facts.daemonSets)),
    check('namespace', facts.namespace, checkNamespace),
    check('installation', facts.definition, (definition) => checkInstallation(definition, facts)),
  ]
}

type Result = Pick<Finding, 'state' | 'detail'>

const ok = (detail: string): Result => ({ state: 'ok', detail })
const warn = (detail: string): Result => ({ state: 'warn', detail })
const bad = (detail: string): Result => ({ state: 'bad', detail })

function check<T>(name: string, fact: Fact<T>, judge: (value: T) => Result): Finding {
  return { check: name, ...('value' in fact ? judge(fact.value) : warn(`unknown: ${fact.refusal}`)) }
}

function checkVersion(version: string): Result {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version) ?? []
  const isOld = Number(major) === 1 && Number(minor) < oldestMinor
  const needed = `Kubernetes 1.${oldestMinor} or later is needed: before, tokens do not name the node of a pod, by which virt-handlers are restricted`
  return isOld ? bad(`${version}: ${needed}`) : ok(version)
}

function checkPolicies(isServed: boolean): Result {
  return isServed
    ? ok('ValidatingAdmissionPolicies restrict each virt-handler to its node')
    : bad('admissionregistration.k8s.io/v1 has no ValidatingAdmissionPolicies: enable them, or the installation is refused')
}

function checkRights(missing: readonly { readonly group: string; readonly resource: string }[]): Result {
  if (missing.length === 0) return ok('you may create everything that "steadyvm install" prints')
  const names = missing.map(({ group, resource }) => (group === '' ? resource : `${resource}.${group}`)).join(', ')
  return bad(`you may not create ${names}: ask an administrator of the cluster to install`)
}

function checkNodes(nodes: readonly Node[]): Result {
  const usable = nodes.filter(({ status }) => status?.nodeInfo?.operatingSystem === 'linux' && status.nodeInfo.architecture === 'amd64')
  const ready = usable.filter(({ status }) => isTrue(status?.conditions, 'Ready'))
  if (ready.length === 0) return bad(`none of ${nodes.length} nodes is ready and runs Linux on x86-64, for which the images are`)
  const others = [
    ...listed(
      'not ready',
      usable.filter((node) => !ready.includes(node)),
    ),
    ...listed(
      'another platform',
      nodes.filter((node) => !usable.includes(node)),
    ),
  ]
  return others.length === 0 ? ok(`${ready.length} ready`) : warn(`${ready.length} ready; ${others.join('; ')}`)
}

function checkRuntimes(nodes: readonly Node[]): Result {
  const found = countBy(nodes, ({ status }) => status?.nodeInfo?.containerRuntimeVersion ?? 'unknown')
  const detail = printed(found)
  const isKnown = [...found.keys()].every((runtime) => /^(containerd|cri-o|steadyvm):\/\//.test(runtime))
  return isKnown ? ok(detail) : warn(`${detail}: only containerd and CRI-O are known to work`)
}

function checkKubelets(nodes: readonly Node[]): Result {
  const found = countBy(nodes, ({ status }) => status?.nodeInfo?.kubeletVersion ?? 'unknown')
  const folders = new Set(nodes.map(kubeletFolder).filter((folder) => folder !== undefined))
  if (folders.size === 0) return ok(`${printed(found)}, folder /var/lib/kubelet unless it is configured`)
  const [folder] = folders
  return warn(`${printed(found)}: install the operator with --kubelet-root ${folder}`)
}

function kubeletFolder({ metadata, status }: Node): string | undefined {
  if (metadata.labels?.['microk8s.io/cluster'] === 'true') return '/var/snap/microk8s/common/var/lib/kubelet'
  const version = status?.nodeInfo?.kubeletVersion ?? ''
  return kubeletFolders.find(([suffix]) => version.includes(suffix))?.[1]
}

function checkAccelerators(nodes: readonly Node[]): Result {
  const found = countBy(
    nodes.filter(({ metadata }) => metadata.labels?.[acceleratorLabel] !== undefined),
    ({ metadata }) => metadata.labels?.[acceleratorLabel] ?? '',
  )
  if (found.size === 0) return ok('known when virt-handler runs: KVM where /dev/kvm works, otherwise guests are emulated')
  const kvm = found.get('kvm') ?? 0
  return kvm > 0 ? ok(`KVM on ${kvm} of ${nodes.length} nodes`) : warn(`no KVM on ${nodes.length} nodes: guests are emulated, and slow`)
}

function checkImageVolumes(isOn: boolean): Result {
  return isOn
    ? ok('container disks are mounted')
    : ok('feature gate ImageVolume is off: container disks are copied into each pod, which takes longer')
}

function checkStorage(classes: readonly KubeObject[]): Result {
  const nameOf = ({ metadata }: KubeObject): string => metadata?.name ?? ''
  const isDefault = ({ metadata }: KubeObject): boolean => metadata?.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true'
  const [chosen] = classes.filter(isDefault)
  if (classes.length === 0) return warn('no StorageClass: VMs run, but claims for their disks stay Pending')
  const names = classes.map(nameOf).join(', ')
  return chosen === undefined
    ? warn(`no default StorageClass: each claim must name one of ${names}`)
    : ok(`default ${nameOf(chosen)}, of ${classes.length}; live migration of claims needs the access mode ReadWriteMany`)
}

function checkNetwork(nodes: readonly Node[], daemonSets: Fact<readonly KubeObject[]>): Result {
  const isWithout = ({ status }: Node): boolean =>
    isTrue(status?.conditions, 'NetworkUnavailable') || /\bcni\b/i.test(findCondition(status?.conditions, 'Ready')?.message ?? '')
  const without = nodes.filter(isWithout)
  if (without.length > 0) return bad(listed('no pod network', without).join())
  const plugins =
    'value' in daemonSets ? daemonSets.value.map(({ metadata }) => metadata?.name ?? '').filter((name) => networkPlugins.test(name)) : []
  const ports = 'live migration needs ports 49152 and 49153 between pods in kubevirt'
  return ok(`${plugins.length === 0 ? 'plugin not recognized' : plugins.join(', ')}; ${ports}`)
}

function checkNamespace(namespace: KubeObject | undefined): Result {
  if (namespace === undefined) return ok(`"${componentNamespace}" will be created`)
  const level = namespace.metadata?.labels?.['pod-security.kubernetes.io/enforce']
  if (level === undefined || level === 'privileged') return ok(`"${componentNamespace}" allows privileged pods`)
  const label = `kubectl label namespace ${componentNamespace} pod-security.kubernetes.io/enforce=privileged --overwrite`
  return bad(`"${componentNamespace}" enforces the pod security standard ${level}, and virt-handler is privileged: ${label}`)
}

function checkInstallation(definition: CustomResourceDefinition | undefined, { kubevirt, operator }: ClusterFacts): Result {
  if (definition === undefined) return ok('none yet: steadyvm install --part operator | kubectl apply --server-side -f -')
  const labels = 'value' in operator ? operator.value?.metadata?.labels : undefined
  const isOurs = isInstalledByOperator(definition) || Object.entries(systemLabels).every(([label, value]) => labels?.[label] === value)
  if (!isOurs) return bad('the CRD kubevirts.kubevirt.io belongs to another installation of KubeVirt, or is left over: remove that first')
  if ('refusal' in kubevirt) return warn(`unknown: ${kubevirt.refusal}`)
  const { status } = kubevirt.value ?? {}
  if (kubevirt.value === undefined)
    return warn('the operator has no KubeVirt object: steadyvm install --part kubevirt | kubectl apply -f -')
  const version = status?.observedKubeVirtVersion ?? 'no version yet'
  if (isTrue(status?.conditions, 'Available')) return ok(`${version}, available`)
  const { message = 'not reported yet' } = findCondition(status?.conditions, 'Available') ?? {}
  return bad(`${version}, not available: ${message}; see "steadyvm upgrade status"`)
}

function listed(what: string, nodes: readonly Node[]): readonly string[] {
  return nodes.length === 0 ? [] : [`${what}: ${nodes.map(({ metadata }) => metadata.name ?? '').join(', ')}`]
}

function countBy(nodes: readonly Node[], keyOf: (node: Node) => string): ReadonlyMap<string, number> {
  return new Map([...Map.groupBy(nodes, keyOf)].map(([key, items]) => [key, items.length]))
}

function printed(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([key, count]) => (counts.size === 1 ? key : `${key} (${count})`)).join(', ')
}
