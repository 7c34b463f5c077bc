import { badInput } from '../../exit-codes.ts'
import { namespaceOf, objectName } from '../../objects/object-names.ts'
import type { TaskDefinition } from '../../task.ts'
import { readConnectionSecret } from '../guest/connection-secret.ts'
import { execute } from '../guest/execute.ts'
import { connectionVolume, guestRules, scriptParameters, vmParameters } from '../guest/guest-parameters.ts'
import { scriptOf } from '../guest/script.ts'

/** Runs a command in a guest. */
export const executeInVm: TaskDefinition = {
  name: 'execute-in-vm',
  description: 'Runs a command or a script in the guest of a VM by SSH, and starts the VM when it is off.',
  parameters: [...vmParameters, ...scriptParameters],
  results: [],
  volumes: [connectionVolume],
  rules: guestRules,
  async run(context) {
    const { parameters } = context
    const key = { namespace: namespaceOf(context, 'vmNamespace'), name: objectName(parameters, 'vmName') }
    const script = scriptOf(parameters)
    if (script === '') throw badInput('There is nothing to do: give the parameter command or script')
    const startLimitMs = parameters.milliseconds('startTimeout')
    await execute(context, { key, connection: await readConnectionSecret(context), script, startLimitMs })
    return {}
  },
}
