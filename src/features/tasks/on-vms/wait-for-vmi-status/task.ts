import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import { exitCodes, TaskFailed } from '../../exit-codes.ts'
import { namespaceOf, objectName } from '../../objects/object-names.ts'
import { waitForObject } from '../../objects/watch-object.ts'
import type { TaskContext, TaskDefinition, TaskResults } from '../../task.ts'
import { compileCondition, type Condition } from './condition.ts'

/** Waits until a VMI meets a condition. */
export const waitForVmiStatus: TaskDefinition = {
  name: 'wait-for-vmi-status',
  description: 'Waits until a VirtualMachineInstance meets a condition, and fails when it meets another one.',
  parameters: [
    { name: 'vmiName', type: 'string', environment: 'VMI_NAME', description: 'Name of the VirtualMachineInstance' },
    {
      name: 'vmiNamespace',
      type: 'string',
      environment: 'VMI_NAMESPACE',
      default: '',
      description: 'Namespace of the VirtualMachineInstance (default: that of the pod)',
    },
    {
      name: 'successCondition',
      type: 'string',
      environment: 'SUCCESS_CONDITION',
      default: '',
      description: 'Label selector whose keys are paths, such as "status.phase == Succeeded". Met: the task succeeds',
    },
    {
      name: 'failureCondition',
      type: 'string',
      environment: 'FAILURE_CONDITION',
      default: '',
      description: 'The same, such as "status.phase in (Failed, Unknown)". Met: the task fails with exit code 2',
    },
    {
      name: 'timeout',
      type: 'string',
      environment: 'TIMEOUT',
      default: '24h',
      description: 'How long the task waits, such as 3h2m1s. An addition to upstream',
    },
  ],
  results: [],
  rules: [{ apiGroups: ['kubevirt.io'], resources: ['virtualmachineinstances'], verbs: ['get', 'list', 'watch'] }],
  run,
}

async function run(context: TaskContext): Promise<TaskResults> {
  const { parameters, log } = context
  const key = { namespace: namespaceOf(context, 'vmiNamespace'), name: objectName(parameters, 'vmiName') }
  const success = conditionOf(context, 'successCondition')
  const failure = conditionOf(context, 'failureCondition')
  const limitMs = parameters.milliseconds('timeout')
  if (success === undefined && failure === undefined) {
    log('No condition is given: nothing to wait for')
    return {}
  }
  await waitForObject(context, {
    what: `VirtualMachineInstance ${key.namespace}/${key.name}`,
    resource: virtualMachineInstances,
    key,
    limitMs,
    check(vmi) {
      if (vmi === undefined) return { waiting: 'it does not exist' }
      if (success?.(vmi) === true) return { done: undefined }
      if (failure?.(vmi) === true)
        throw new TaskFailed(
          exitCodes.badInput,
          `VirtualMachineInstance ${key.namespace}/${key.name} meets the failure condition "${parameters.text('failureCondition')}"`,
        )
      return { waiting: `its phase is ${vmi.status?.phase ?? 'Pending'}` }
    },
  })
  return {}
}

function conditionOf({ parameters }: TaskContext, name: string): Condition | undefined {
  const text = parameters.text(name)
  return text === '' ? undefined : compileCondition(name, text)
}
