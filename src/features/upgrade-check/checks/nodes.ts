import type { Node } from '#api/core/v1/node.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { inNamespace, type Finding } from '../finding.ts'
import { currentVersion, type UpgradeInventory } from '../inventory.ts'

/** After this time without a heartbeat, a node is given up. */
const silentMs = 5 * 60_000
const heartbeat = 'kubevirt.io/heartbeat'
const versionAnnotation = 'kubevirt.io/install-strategy-version'
const agentLabel = 'virt-handler'

/** Finds nodes and node agents that are not healthy before the upgrade. */
export function nodeFindings(inventory: UpgradeInventory): Finding[] {
  const isNone = inventory.nodes.length > 0 && inventory.nodes.every((node) => !isReady(node))
  return inventory.nodes.flatMap((node) => (isReady(node) ? agentFindings(inventory, node) : [notReady(node, isNone)]))
}

function isReady({ status }: Node): boolean {
  return isTrue(status?.conditions, 'Ready')
}

function notReady({ metadata: { name = '' } }: Node, isNone: boolean): Finding {
  return {
    id: 'NodeNotReady',
    severity: isNone ? 'blocking' : 'warning',
    object: `node/${name}`,
    what: `Node ${name} is not ready`,
    why: isNone
      ? 'No node is: there is none on which the new release could be tried'
      : 'It is left out, and follows when it is ready. What is wrong with it is wrong with its guests, too',
    command: `kubectl wait node/${name} --for=condition=Ready --timeout=15m`,
  }
}

function agentFindings(inventory: UpgradeInventory, { metadata: { name = '', annotations } }: Node): Finding[] {
  const agent = inventory.pods.find(
    ({ metadata, spec }) => metadata.labels?.['kubevirt.io'] === agentLabel && spec.nodeName === name && !isBeingDeleted({ metadata }),
  )
  // The node does not match the placement of node agents.
  if (agent === undefined) return []
  const { name: pod = '', namespace } = agent.metadata
  const about = { severity: 'warning', object: `node/${name}`, command: `kubectl delete pod/${pod}${inNamespace(namespace)}` } as const
  const beat = Date.parse((annotations?.[heartbeat] ?? '').replaceAll('"', ''))
  const findings: Finding[] = []
  if (!(inventory.nowMs - beat < silentMs)) {
    const what = `The agent of node ${name} ${Number.isNaN(beat) ? 'has never reported' : `has not reported since ${new Date(beat).toISOString()}`}`
    const why = 'Whether the agent of the new release is well is told by its reports: there would be nothing to compare with'
    findings.push({ ...about, id: 'AgentSilent', what, why })
  }
  const [version, wanted] = [agent.metadata.annotations?.[versionAnnotation], currentVersion(inventory)]
  if (version !== undefined && wanted !== undefined && version !== wanted && inventory.kubevirt.status?.steadyvm?.upgrade === undefined) {
    const what = `The agent of node ${name} is of ${version}, and the system is at ${wanted}`
    findings.push({ ...about, id: 'NodeLeftBehind', what, why: 'It would skip a version, which was asked of the others only' })
  }
  return findings
}
