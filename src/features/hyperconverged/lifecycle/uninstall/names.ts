/** Finalizer of the HyperConverged object, until all objects that it configures are gone. */
export const finalizer = 'kubevirt.io/hyperconverged'
