/**
 * Uploads of disk images, as `virtctl image-upload` makes them: tokens of the aggregated API
 * `upload.cdi.kubevirt.io`, and the proxy that passes the bytes on to the worker of a claim.
 *
 * virt-api serves `uploadGroup` behind an APIService, and
 * `createUploadProxy` on paths of its own, without the API server; `publisher/` leads there.
 * Workers are started by `#features/data-volume`.
 */
export { createUploadProxy, type UploadProxy } from './upload-proxy.ts'
export { createUploadTokens } from './upload-tokens.ts'
export { uploadGroup } from './token-requests.ts'
