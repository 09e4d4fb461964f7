#pragma once
#include <gssapi/gssapi.h>
#include <gssapi/gssapi_ext.h>
#include <gssapi/gssapi_krb5.h>
#include <krb5/krb5.h>

// glibc declares it under _GNU_SOURCE only, which Swift's Glibc module is built without.
int memfd_create(const char *name, unsigned int flags);

// Macros that Swift's importer can't see, as constants of the same name behind the door's.
static const OM_uint32 CGSSAPI_GSS_S_COMPLETE = GSS_S_COMPLETE;
static const OM_uint32 CGSSAPI_GSS_S_CONTINUE_NEEDED = GSS_S_CONTINUE_NEEDED;
static const OM_uint32 CGSSAPI_GSS_S_BAD_MECH = GSS_S_BAD_MECH;
static const OM_uint32 CGSSAPI_GSS_S_UNAVAILABLE = GSS_S_UNAVAILABLE;
static const OM_uint32 CGSSAPI_GSS_S_BAD_BINDINGS = GSS_S_BAD_BINDINGS;
static inline OM_uint32 CGSSAPI_GSS_ROUTINE_ERROR(OM_uint32 status) { return GSS_ROUTINE_ERROR(status); }
static inline int CGSSAPI_GSS_ERROR(OM_uint32 status) { return GSS_ERROR(status) != 0; }

// Object identifiers, which are variables in C.
static inline gss_OID CGSSAPI_GSS_C_NT_HOSTBASED_SERVICE(void) { return GSS_C_NT_HOSTBASED_SERVICE; }
static inline gss_OID CGSSAPI_GSS_C_NT_USER_NAME(void) { return GSS_C_NT_USER_NAME; }
static inline gss_OID CGSSAPI_GSS_KRB5_NT_PRINCIPAL_NAME(void) { return (gss_OID)GSS_KRB5_NT_PRINCIPAL_NAME; }
static inline gss_OID CGSSAPI_mechanism_kerberos(void) {
    static gss_OID_desc identifier = {9, (void *)"\x2a\x86\x48\x86\xf7\x12\x01\x02\x02"};
    return &identifier;
}
static inline gss_OID CGSSAPI_mechanism_spnego(void) {
    static gss_OID_desc identifier = {6, (void *)"\x2b\x06\x01\x05\x05\x02"};
    return &identifier;
}
static inline gss_OID CGSSAPI_mechanism_ntlmssp(void) {
    static gss_OID_desc identifier = {10, (void *)"\x2b\x06\x01\x04\x01\x82\x37\x02\x02\x0a"};
    return &identifier;
}
