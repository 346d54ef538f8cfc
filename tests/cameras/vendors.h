/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stand-ins for the elements that makers of cameras, and others, write for them: stand_ins.h. */
#ifndef STX_CAMERAS_VENDORS_H
#define STX_CAMERAS_VENDORS_H

void stand_ins_register_vendors(void);

#endif
