import type { PodSpec } from '#api/core/v1/pod.ts'
import type { Fields } from './fields.ts'

/** Fields of a pod template that are passed on to pods as they are. */
const passed = [
  'affinity',
  'automountServiceAccountToken',
  'dnsConfig',
  'dnsPolicy',
  'enableServiceLinks',
  'hostAliases',
  'hostNetwork',
  'imagePullSecrets',
  'nodeSelector',
  'priorityClassName',
  'runtimeClassName',
  'schedulerName',
  'securityContext',
  'tolerations',
  'topologySpreadConstraints',
] as const

/** What a run asks of the pods of its tasks. */
export type PodTemplate = Partial<Pick<PodSpec, Extract<(typeof passed)[number], keyof PodSpec>>>

/** Reads the pod template of a run. Faults are recorded. */
export function parsePodTemplate(fields: Fields): PodTemplate {
  const found = passed.flatMap((name) => {
    const value = fields.raw(name)
    return value === undefined ? [] : [[name, value] as const]
  })
  fields.refuse({
    env: 'variables of all steps are not supported: write them in the Task',
    volumes: 'volumes of all tasks are not supported: write them in the Task, or use a workspace',
  })
  fields.onlyKnown()
  return Object.fromEntries(found) as PodTemplate
}
