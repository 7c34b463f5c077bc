import type { AuditPolicy } from './audit-policy.ts'

/** Records writes without bodies. Reads and lease renewals would outnumber everything else. */
export const defaultAuditPolicy: AuditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'None', verbs: ['get', 'list', 'watch', 'head', 'options'] },
    {
      level: 'None',
      resources: [
        { group: 'coordination.k8s.io', resources: ['leases'] },
        { group: '', resources: ['events'] },
        { group: 'events.k8s.io', resources: ['events'] },
        { group: 'authorization.k8s.io' },
      ],
    },
    { level: 'Metadata' },
  ],
}
