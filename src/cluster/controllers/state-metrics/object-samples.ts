import type { DaemonSet } from '#api/apps/v1/daemon-set.ts'
import type { Deployment } from '#api/apps/v1/deployment.ts'
import type { Node } from '#api/core/v1/node.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import { parseQuantity, quantityToNumber } from '#apimachinery/quantity.ts'
import type { Sample } from '#runtime/metrics/exposition.ts'
import { labelName, resourceLabels } from './pod-samples.ts'

type Samples<T> = (object: T) => readonly Sample[]

const rolePrefix = 'node-role.kubernetes.io/'

/** Labels of a node. */
export const nodeLabels: Samples<Node> = ({ metadata }) => [[{ node: metadata.name ?? '', ...asLabels(metadata.labels) }, 1]]

/** Roles of a node. */
export const nodeRoles: Samples<Node> = ({ metadata }) =>
  Object.keys(metadata.labels ?? {}).flatMap((label) =>
    label.startsWith(rolePrefix) ? [[{ node: metadata.name ?? '', role: label.slice(rolePrefix.length) }, 1] as const] : [],
  )

/** Whether a node is cordoned. */
export const nodeUnschedulable: Samples<Node> = ({ metadata, spec }) => [
  [{ node: metadata.name ?? '' }, spec?.unschedulable === true ? 1 : 0],
]

/** What pods of a node may request. */
export const nodeAllocatable: Samples<Node> = ({ metadata, status }) =>
  Object.entries(status?.allocatable ?? {}).map(([resource, quantity]) => [
    { node: metadata.name ?? '', ...resourceLabels(resource) },
    quantityToNumber(parseQuantity(quantity)),
  ])

/** Wanted replicas of a Deployment. */
export const deploymentReplicas: Samples<Deployment> = ({ metadata, spec }) => [
  [{ namespace: metadata.namespace ?? '', deployment: metadata.name ?? '' }, spec.replicas ?? 1],
]

/** Nodes that should run a DaemonSet. */
export const daemonSetDesired: Samples<DaemonSet> = (set) => [[daemonSetKey(set), set.status?.desiredNumberScheduled ?? 0]]

/** Nodes on which a DaemonSet is ready. */
export const daemonSetReady: Samples<DaemonSet> = (set) => [[daemonSetKey(set), set.status?.numberReady ?? 0]]

/** Class and volume of a claim. */
export const claimInfo: Samples<PersistentVolumeClaim> = (claim) => [
  [{ ...claimKey(claim), storageclass: claim.spec?.storageClassName ?? '', volumename: claim.spec?.volumeName ?? '' }, 1],
]

/** Labels of a claim. */
export const claimLabels: Samples<PersistentVolumeClaim> = (claim) => [[{ ...claimKey(claim), ...asLabels(claim.metadata.labels) }, 1]]

/** Bytes that a claim requests. */
export const claimBytes: Samples<PersistentVolumeClaim> = (claim) => {
  const storage = claim.spec?.resources?.requests?.['storage']
  return storage === undefined ? [] : [[claimKey(claim), quantityToNumber(parseQuantity(storage))]]
}

function daemonSetKey({ metadata }: DaemonSet): { readonly namespace: string; readonly daemonset: string } {
  return { namespace: metadata.namespace ?? '', daemonset: metadata.name ?? '' }
}

function claimKey({ metadata }: PersistentVolumeClaim): { readonly namespace: string; readonly persistentvolumeclaim: string } {
  return { namespace: metadata.namespace ?? '', persistentvolumeclaim: metadata.name ?? '' }
}

function asLabels(labels: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [`label_${labelName(name)}`, value]))
}
