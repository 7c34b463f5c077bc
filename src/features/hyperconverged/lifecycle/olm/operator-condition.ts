import type { HyperConvergedStatus } from '#api/hco/v1/status.ts'
import { findCondition, setCondition } from '#apimachinery/conditions.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import type { Condition, KubeObject } from '#apimachinery/meta/object-meta.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import type { Ports } from '../../reconcile/ports.ts'

/** Object by which an operator tells the Operator Lifecycle Manager (OLM) about itself. */
interface OperatorCondition extends KubeObject {
  spec?: { conditions?: Condition[] }
}

/** `/apis/operators.coreos.com/v2/namespaces/{namespace}/operatorconditions`. */
export const operatorConditions: ResourceType<OperatorCondition> = {
  group: 'operators.coreos.com',
  version: 'v2',
  kind: 'OperatorCondition',
  plural: 'operatorconditions',
  namespaced: true,
}

/** What the condition is about. `Absent`: there is no HyperConverged object. */
export type Situation = 'Initializing' | 'Absent' | 'Removing' | HyperConvergedStatus

/** Milliseconds between attempts to write. */
const retryMs = 10_000

/** Longest message that the CRD of OLM accepts. */
const longestMessage = 32_768

/**
 * Returns the condition `Upgradeable`, for which OLM waits before it replaces the operators. It is
 * that of HyperConverged: an upgrade, a component that is not ready and a component that forbids it
 * all hold the next one back. Pure.
 */
export function operatorConditionOf(situation: Situation): Condition {
  const upgradeable = (status: 'True' | 'False', reason: string, message: string): Condition => ({
    type: 'Upgradeable',
    status,
    reason,
    message: message.slice(0, longestMessage),
  })
  switch (situation) {
    case 'Initializing':
      return upgradeable('False', 'Initializing', 'the operator has started, and does not know the state of the components yet')
    case 'Absent':
      return upgradeable('True', 'Upgradeable', 'there is no HyperConverged object')
    case 'Removing':
      return upgradeable('False', 'Removing', 'the components are being removed')
    default: {
      const { status, reason = '', message = '' } = findCondition(situation.conditions, 'Upgradeable') ?? {}
      return status === 'True' ? upgradeable('True', 'Upgradeable', message) : upgradeable('False', reason || 'Unknown', message)
    }
  }
}

/**
 * Creates a function that writes the condition where OLM has installed the operator: OLM names the
 * object in `OPERATOR_CONDITION_NAME`, and grants access to it. The function returns the
 * milliseconds after which to try again; undefined if all is written. A failure does not affect the
 * components.
 */
export function createOperatorConditionReport({
  client,
  clock,
  log,
  namespace,
  environment,
}: Pick<Ports, 'client' | 'clock' | 'log' | 'namespace' | 'environment'>): (
  situation: Situation,
  signal: AbortSignal,
) => Promise<number | undefined> {
  const name = environment['OPERATOR_CONDITION_NAME'] ?? ''
  let written: Condition | undefined
  return async (situation, signal) => {
    // A process that has written more is past its start.
    if (name === '' || (situation === 'Initializing' && written !== undefined)) return undefined
    const wanted = operatorConditionOf(situation)
    if (deepEqual(wanted, written)) return undefined
    try {
      const object = await client.get(operatorConditions, { namespace, name }, { signal })
      const before = object.spec?.conditions
      const conditions = setCondition(before, wanted, timestamp(clock.now()))
      if (conditions !== before) await patchIfUnchanged(client, operatorConditions, object, { spec: { conditions } }, { signal })
      written = wanted
      return undefined
    } catch (error) {
      signal.throwIfAborted()
      const consequence = isNotFound(error) ? 'There is no OperatorCondition' : 'The OperatorCondition could not be written'
      log.warn({ error, name }, `${consequence}: trying again. Until then OLM may upgrade the operator at any time`)
      return retryMs
    }
  }
}
