/** Fields of a VM's spec that determine the hardware. */
export const hardwareFields = ['template', 'instancetype', 'preference'] as const
