/** Holds a deleted VM until its VMI is gone. */
export const vmFinalizer = 'kubevirt.io/virtualMachineControllerFinalize'

/** Holds a deleted VMI until its pods are gone. */
export const vmiFinalizer = 'kubevirt.io/foregroundDeleteVirtualMachine'

/** On a VMI: generation of the VM that it was created from. */
export const vmGenerationAnnotation = 'kubevirt.io/vm-generation'
