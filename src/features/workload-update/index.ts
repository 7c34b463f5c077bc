/**
 * Updates running guests to the launcher of the installed release, by migration or eviction.
 *
 * `createWorkloadUpdateController` runs in virt-controller: it orders guests, keeps limits and
 * maintenance windows, tries a canary of each class first, and reports what each guest waits for.
 *
 * It does not update node agents or components: that is `operator`.
 */
export { createWorkloadUpdateController } from './controller.ts'
export { traceMigrations } from './migration-spans.ts'
export { updateNames } from './names.ts'
export { workloadUpdateSettings } from './settings.ts'
