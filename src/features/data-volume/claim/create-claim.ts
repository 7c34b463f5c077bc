import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import { persistentVolumeClaims } from '#api/core/v1/resources.ts'
import { isAlreadyExists, isForbidden, isInvalid, StatusError } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import type { FillWait } from '../fill/decide-fill.ts'

/** Creates a claim. Returns why it is refused. */
export async function createClaim(client: Pick<Client, 'create'>, claim: PersistentVolumeClaim): Promise<FillWait | undefined> {
  try {
    await client.create(persistentVolumeClaims, claim)
  } catch (error) {
    // An earlier pass created it: its event follows.
    if (isAlreadyExists(error)) return undefined
    if (!(error instanceof StatusError) || !(isForbidden(error) || isInvalid(error))) throw error
    const reason = error.message.includes('exceeded quota') ? 'ErrExceededQuota' : 'ErrClaimNotValid'
    return { reason, message: error.message }
  }
  return undefined
}
