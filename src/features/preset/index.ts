/**
 * Applies VirtualMachineInstancePresets to new VMIs. Entry points: `applyPresets` and
 * `validatePreset`.
 */
export { validatePreset } from './admission.ts'
export { applyPresets, PresetsConflict } from './apply-presets.ts'
