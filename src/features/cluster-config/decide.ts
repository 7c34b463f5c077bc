import type { KubeVirt, KubeVirtCondition } from '#api/kubevirt/v1/kubevirt.ts'
import { findCondition, setCondition } from '#apimachinery/conditions.ts'
import { defaultClusterConfig } from './cluster-config.ts'
import { warnOfSettings } from './admission.ts'
import type { ConfigProblem } from './setting-reader.ts'
import { readClusterConfig } from './to-cluster-config.ts'

/** Condition: every setting of the KubeVirt object is valid. */
export const configurationValid = 'ConfigurationValid'

/** Condition and event about the settings of a KubeVirt object. */
export interface Verdict {
  /** The updated conditions; undefined without a change. */
  readonly conditions: readonly KubeVirtCondition[] | undefined
  /** Message of the event, for new problems only. */
  readonly warning: string | undefined
}

/**
 * Validates the settings. The result does not depend on earlier settings, so that every process
 * reports the same.
 */
export function decide(kubevirt: KubeVirt, now: string): Verdict {
  const { problems } = readClusterConfig(kubevirt, defaultClusterConfig)
  const old = kubevirt.status?.conditions
  const condition: KubeVirtCondition =
    problems.length === 0
      ? { type: configurationValid, status: 'True', reason: 'Understood', message: inForce(kubevirt) }
      : {
          type: configurationValid,
          status: 'False',
          reason: 'InvalidConfiguration',
          message: notInForce(problems),
        }
  const conditions = setCondition(old, condition, now)
  const isNews = condition.status === 'False' && findCondition(old, configurationValid)?.message !== condition.message
  return { conditions: conditions === old ? undefined : conditions, warning: isNews ? condition.message : undefined }
}

function notInForce(problems: readonly ConfigProblem[]): string {
  const found = problems.map(({ field, message }) => `${field} ${message}`).join('; ')
  // Annotations have no last valid value: they are read at each use.
  return problems.some(({ field }) => field.startsWith('spec.')) ? `${found}; the last good value stays in force` : found
}

function inForce(kubevirt: KubeVirt): string {
  const idle = warnOfSettings(kubevirt, undefined)
  return idle.length === 0 ? 'all settings are in force' : `all other settings are in force: ${idle.join('; ')}`
}
