/**
 * Leads uploads to the server that takes them: the APIService of upload tokens, and
 * `findUploadServer` for the API server of machine mode, which loads nothing else of uploads.
 */
export { uploadApiServices, uploadGroupName, uploadVersion } from './api-services.ts'
export { findUploadServer } from './find-upload-server.ts'
