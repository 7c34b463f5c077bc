import type { Node } from '#api/core/v1/node.ts'
import type { LocalObjectReference } from '#api/core/v1/references.ts'
import type { CustomizeComponents, KubeVirtSpec, NodePlacement } from '#api/kubevirt/v1/kubevirt.ts'
import { matchesNodeAffinity } from '#api/usage/node-affinity.ts'

/** Settings of the KubeVirt object for the components, apart from their version. */
export interface InfraSettings {
  readonly infra: NodePlacement
  /** Replicas of virt-api and virt-controller; undefined for the default. */
  readonly replicas: number | undefined
  /** Default replicas of virt-api. */
  readonly apiServers: number
  readonly workloads: NodePlacement
  readonly imagePullPolicy: string | undefined
  readonly imagePullSecrets: readonly LocalObjectReference[]
  /** Labels by which a product marks its parts. */
  readonly labels: Readonly<Record<string, string>>
  readonly customize: CustomizeComponents
}

/** One virt-api replica serves this many nodes. */
const nodesPerApiServer = 10

/** Reads the settings; absent ones are empty. `nodes` are all nodes of the cluster. Pure. */
export function infraSettingsOf(
  { infra, workloads, productVersion, productName, productComponent, ...spec }: KubeVirtSpec,
  nodes: readonly Node[] = [],
): InfraSettings {
  const labels = {
    'app.kubernetes.io/version': productVersion,
    'app.kubernetes.io/part-of': productName,
    'app.kubernetes.io/component': productComponent,
  }
  return {
    infra: infra?.nodePlacement ?? {},
    replicas: infra?.replicas,
    apiServers: apiServersFor(nodes.filter((node) => isFor(workloads?.nodePlacement, node)).length),
    workloads: workloads?.nodePlacement ?? {},
    imagePullPolicy: spec.imagePullPolicy || undefined,
    imagePullSecrets: spec.imagePullSecrets ?? [],
    labels: Object.fromEntries(
      Object.entries(labels).flatMap(([key, value]) => (value === undefined || value === '' ? [] : [[key, value]])),
    ),
    customize: spec.customizeComponents ?? {},
  }
}

/**
 * A single node does not need a second replica. Otherwise another replica answers evictions while
 * one is down, so that protected guests are not evicted.
 */
function apiServersFor(nodes: number): number {
  return nodes <= 1 ? 1 : Math.max(2, Math.floor(nodes / nodesPerApiServer))
}

/**
 * Reports whether a node may run guests, whether it is ready or not: the number of replicas must
 * not follow heartbeats.
 */
function isFor({ nodeSelector = {}, affinity }: NodePlacement = {}, node: Node): boolean {
  return matchesNodeAffinity({ spec: { containers: [], nodeSelector, ...(affinity === undefined ? {} : { affinity }) } }, node)
}
