import type { DaemonSet } from '#api/apps/v1/daemon-set.ts'
import { daemonSets } from '#api/apps/v1/resources.ts'
import type { Toleration } from '#api/core/v1/affinity.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { podFromTemplate } from '../pods/pod-from-template.ts'
import { revisionHashLabel } from '../history/revision-label.ts'

/** Taints that every daemon pod tolerates, as in Kubernetes. */
const toleratedTaints: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
]
const borneOnHostNetwork: Toleration = { key: 'node.kubernetes.io/network-unavailable', operator: 'Exists', effect: 'NoSchedule' }

/** Tolerations of a daemon pod: those of the template and those of all daemons. Pure. */
export function daemonTolerations({ spec }: DaemonSet): Toleration[] {
  const own = spec.template.spec.tolerations ?? []
  const added = spec.template.spec.hostNetwork === true ? [...toleratedTaints, borneOnHostNetwork] : toleratedTaints
  const isAdded = ({ key, effect }: Toleration): boolean => added.some((one) => one.key === key && one.effect === effect)
  return [...own.filter((one) => !isAdded(one)), ...added]
}

/** The pod of a DaemonSet for one node, and for no other. Pure. */
export function daemonPod(daemonSet: DaemonSet, nodeName: string, hash: string): Pod {
  const pod = podFromTemplate(daemonSets, daemonSet, daemonSet.spec.template)
  const { affinity } = pod.spec
  const nodeSelectorTerms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [nodeName] }] }]
  const nodeAffinity = { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } }
  return {
    ...pod,
    metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, [revisionHashLabel]: hash } },
    spec: { ...pod.spec, affinity: { ...affinity, nodeAffinity }, tolerations: daemonTolerations(daemonSet) },
  }
}

/** The node that a daemon's pod is on, or is meant for. */
export function targetNode({ spec }: Pod): string {
  if (spec.nodeName !== undefined && spec.nodeName !== '') return spec.nodeName
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  return terms.flatMap(({ matchFields }) => matchFields ?? []).find(({ key }) => key === 'metadata.name')?.values?.[0] ?? ''
}
