import { findCondition } from '#apimachinery/conditions.ts'
import { pausesUpdates, settingAnnotations, windowsProblem } from '#features/cluster-config/index.ts'
import { inNamespace, mergePatch, type Finding } from '../finding.ts'
import { guestObject, excludeFromUpdates, runningGuests, guestUpdateOf } from '../guest-update.ts'
import { kubevirtPlace, type UpgradeInventory } from '../inventory.ts'

/**
 * Finds what keeps running guests in launchers of the old release, unless their owner excluded them
 * from updates.
 */
export function guestFindings(inventory: UpgradeInventory): Finding[] {
  const guests = runningGuests(inventory)
  if (guests.length === 0) return []
  return [
    ...settingFindings(inventory, guests.length),
    ...guests.filter((guest) => guestUpdateOf(guest, inventory) === 'stuck').map(stuckFinding),
  ]
}

function settingFindings(inventory: UpgradeInventory, guests: number): Finding[] {
  const { object, namespace } = kubevirtPlace(inventory)
  const annotations = inventory.kubevirt.metadata.annotations ?? {}
  const remove = (annotation: string): string => `kubectl annotate ${object}${inNamespace(namespace)} ${annotation}-`
  const why = 'They go on in their old launchers, with the faults and the hypervisor of the old release'
  const findings: Finding[] = []
  if (inventory.config.workloadUpdateMethods.length === 0) {
    const command = mergePatch(object, namespace, { spec: { workloadUpdateStrategy: { workloadUpdateMethods: ['LiveMigrate'] } } })
    const what = `${guests} guests run, and spec.workloadUpdateStrategy names no method by which to update them`
    findings.push({ id: 'UpdatesOff', severity: 'warning', object, what, why, command })
  }
  if (pausesUpdates(annotations[settingAnnotations.updatePaused])) {
    const command = remove(settingAnnotations.updatePaused)
    findings.push({
      id: 'UpdatesPaused',
      severity: 'warning',
      object,
      what: `Updates of the ${guests} guests that run are paused`,
      why,
      command,
    })
  }
  const problem = windowsProblem(annotations[settingAnnotations.updateWindows] ?? '')
  if (problem !== undefined) {
    const command = remove(settingAnnotations.updateWindows)
    const what = `The windows for updates of guests are not understood, which is a pause: ${problem}`
    findings.push({ id: 'WindowsNotUnderstood', severity: 'warning', object, what, why, command })
  }
  return findings
}

function stuckFinding(guest: UpgradeInventory['guests'][number]): Finding {
  const { reason, message } = findCondition(guest.status?.conditions, 'LiveMigratable') ?? {}
  const cause = reason === undefined ? 'its node agent has not said that it can' : `${reason}${message ? `: ${message}` : ''}`
  return {
    id: 'GuestCannotMove',
    severity: 'warning',
    object: guestObject(guest),
    what: `The guest cannot be moved (${cause})`,
    why: 'It stays in its old launcher until its VM is restarted; the command says that this is all right',
    command: excludeFromUpdates(guest),
  }
}
