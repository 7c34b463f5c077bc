import type { TestMachine } from '../machine.ts'

/**
 * Waits until the guests of VMs run. `kubectl wait` for a phase needs the VMIs, which do not exist
 * yet when the VMs have just been created.
 */
export async function untilGuestsRun(
  machine: Pick<TestMachine, 'kubectl'>,
  names: readonly string[],
  timeoutSeconds: number = 180,
): Promise<void> {
  const vmis = names.map((name) => `vmi/${name}`)
  const timeout = `--timeout=${timeoutSeconds}s`
  // One at a time: of several, kubectl does not wait for those that are missing, and may fail.
  for (const vmi of vmis) await machine.kubectl(['wait', '--for=create', vmi, timeout])
  await machine.kubectl(['wait', ...vmis, '--for=jsonpath={.status.phase}=Running', timeout])
}
