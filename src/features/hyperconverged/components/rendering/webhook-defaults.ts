/**
 * Values that the mutating webhook stores in new objects: they are defaults of creations only, so
 * that a user can remove them later. Below the spec.
 */
export const webhookDefaults = {
  // An empty selector: memory pages are shared on all nodes.
  virtualization: { ksmConfiguration: {} },
} as const
