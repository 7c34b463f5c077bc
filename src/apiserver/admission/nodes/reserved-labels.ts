type Labels = Readonly<Record<string, string>>

/** Labels below kubernetes.io that describe the machine, which kubelets have always reported. */
const kubeletLabels: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
])
const kubeletDomains = ['kubelet.kubernetes.io', 'node.kubernetes.io']
const kubernetesDomains = ['kubernetes.io', 'k8s.io']
const restrictedDomain = 'node-restriction.kubernetes.io'

/**
 * Returns the changed labels that a node must not set on itself, sorted: workloads are steered by
 * them, so a compromised kubelet could attract pods and their secrets. Pure.
 */
export function changedReservedLabels(next: Labels = {}, old: Labels = {}): string[] {
  const changed = Object.keys({ ...next, ...old }).filter((label) => next[label] !== old[label])
  return changed.filter(isReserved).toSorted()
}

function isReserved(label: string): boolean {
  const domain = label.includes('/') ? label.slice(0, label.indexOf('/')) : ''
  if (isWithin(domain, restrictedDomain)) return true
  if (!kubernetesDomains.some((parent) => isWithin(domain, parent))) return false
  return !kubeletLabels.has(label) && !kubeletDomains.some((parent) => isWithin(domain, parent))
}

function isWithin(domain: string, parent: string): boolean {
  return domain === parent || domain.endsWith(`.${parent}`)
}
