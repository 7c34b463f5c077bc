import type { Node } from '#api/core/v1/node.ts'
import type { LocalObjectReference } from '#api/core/v1/references.ts'
import type { CustomizeComponents, KubeVirtSpec, NodePlacement } from '#api/kubevirt/v1/kubevirt.ts'
import { matchesNodeAffinity } from '#api/usage/node-affinity.ts'

/** What a KubeVirt object says about how the components run, apart from which version of them. */
export interface InfraSettings {
  readonly infra: NodePlacement
  /** How many of the API servers and the controllers; undefined: the usual number. */
  readonly replicas: number | undefined
  /** How many API servers there usually are. */
  readonly apiServers: number
  readonly workloads: NodePlacement
  readonly imagePullPolicy: string | undefined
  readonly imagePullSecrets: readonly LocalObjectReference[]
  /** By which a product tells what is a part of it. */
  readonly labels: Readonly<Record<string, string>>
  readonly customize: CustomizeComponents
}

/** Nodes for each of which one API server is enough. */
const nodesPerApiServer = 10

/** Reads them. What is not said is empty. `nodes` are all that there are. Pure. */
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
 * One has no use for a second one on its only node. Otherwise guests that must not be evicted are
 * protected by whoever is left.
 */
function apiServersFor(nodes: number): number {
  return nodes <= 1 ? 1 : Math.max(2, Math.floor(nodes / nodesPerApiServer))
}

/**
 * Whether there may be guests, be the node ready or not: a number that followed heartbeats would
 * change with each restart of an agent.
 */
function isFor({ nodeSelector = {}, affinity }: NodePlacement = {}, node: Node): boolean {
  return matchesNodeAffinity({ spec: { containers: [], nodeSelector, ...(affinity === undefined ? {} : { affinity }) } }, node)
}
