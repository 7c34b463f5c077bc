export { validatePreset } from './admission.ts'
export { applyPresets, PresetsConflict } from './apply-presets.ts'
