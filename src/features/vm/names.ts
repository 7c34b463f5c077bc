/** Keeps a VM until nothing of it is left. */
export const vmFinalizer = 'kubevirt.io/virtualMachineControllerFinalize'

/** Keeps a VMI until its pods are gone. */
export const vmiFinalizer = 'kubevirt.io/foregroundDeleteVirtualMachine'

/** On a VMI: the generation of the VM from which it was made. */
export const vmGenerationAnnotation = 'kubevirt.io/vm-generation'
