from m5.params import *
from m5.SimObject import SimObject


class PlatterDrive(SimObject):
    type = "PlatterDrive"
    cxx_header = "dev/storage/platter_drive.hh"
    cxx_class = "gem5::PlatterDrive"
    table = Param.String("the drive: a file of 'platter emit table'")
