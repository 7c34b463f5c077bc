import { readFile } from 'node:fs/promises'
import { openAuditLog } from '#apiserver/audit/audit-log.ts'
import { type AuditPolicy, readAuditPolicy } from '#apiserver/audit/audit-policy.ts'
import { type Auditor, createAuditor } from '#apiserver/audit/auditor.ts'
import { defaultAuditPolicy } from '#apiserver/audit/default-policy.ts'
import type { Logger } from '#runtime/process/log.ts'

/** Audit flags, named as those of kube-apiserver. */
export const auditFlags = ['audit-log-path?', 'audit-policy-file?', 'audit-log-maxsize?', 'audit-log-maxbackup?'] as const

/** Audit log of this process. Disposal flushes it. */
export interface ProcessAudit extends AsyncDisposable {
  /** Undefined without `--audit-log-path`. */
  readonly auditor: Auditor | undefined
}

const megabyte = 1024 * 1024

async function readPolicy(file: string): Promise<AuditPolicy> {
  if (file === '') return defaultAuditPolicy
  const { parse } = await import('yaml')
  return readAuditPolicy(parse(await readFile(file, 'utf8')))
}

/** Opens the audit log of the flags. @throws AuditPolicyError */
export async function openProcessAudit(
  flags: Readonly<Record<(typeof auditFlags)[number], string>>,
  now: () => number,
  log: Logger,
): Promise<ProcessAudit> {
  const path = flags['audit-log-path?']
  if (path === '') return { auditor: undefined, [Symbol.asyncDispose]: async () => {} }
  const policy = await readPolicy(flags['audit-policy-file?'])
  const events = openAuditLog({
    path,
    maxBytes: Number(flags['audit-log-maxsize?'] || 20) * megabyte,
    maxBackups: Number(flags['audit-log-maxbackup?'] || 5),
    now,
    onFailure: (failure) =>
      failure === undefined
        ? log.info({ path }, 'The audit log is complete again')
        : log.error({ path, err: failure.error, lost: failure.lost }, 'The audit log is incomplete'),
  })
  return { auditor: createAuditor(policy, events.write, now), [Symbol.asyncDispose]: () => events[Symbol.asyncDispose]() }
}
